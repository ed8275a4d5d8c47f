import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import { createOrganization, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { postSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('a cached team or season', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);

  /** Changes a record as an operator can, and no route does. */
  async function change(collection: string, id: string, fields: object): Promise<void> {
    const records = (await server.database()).collection(collection);
    const { matchedCount } = await records.updateOne({ _id: new ObjectId(id) }, { $set: fields });
    expect(matchedCount).toBe(1);
  }

  async function createCachedTeam(): Promise<string> {
    const { _id } = await organization.team();
    for (let times = 0; times < 5; times++) await organization.schedule(_id);
    return _id;
  }

  it('returns 40401 for a deleted team on its paths, and 40301 in every other request that names it', async () => {
    const team = await createCachedTeam();
    const schedule = await organization.schedule(team);
    const player = await organization.player(team);
    await change('teams', team, { deletedAt: new Date() });
    const body = { teamId: team, teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' };
    // The server has received the change.
    await eventuallyPasses(async () => void expectError(await postSchedule(organization, body), 40301));
    const patch = organization.call('patch', `/schedules/${schedule._id}`);
    expectError(await patch.send({ teamId: team, eventTitle: 'Final' }), 40301);
    expectError(await organization.call('delete', `/schedules/${schedule._id}?teamId=${team}`), 40301);
    expectError(await organization.call('get', `/schedules?teamId=${team}`), 40301);
    const players = `/teams/${team}/players`;
    expectError(await organization.call('get', players), 40401);
    expectError(await organization.call('get', `${players}/${player._id}`), 40401);
    const post = organization.call('post', players).set('idem-key', 'a');
    expectError(await post.send({ name: 'Jordan Lee' }), 40401);
  });

  it('rejects new teams after the season was moved to another organization or removed', async () => {
    const { _id: season } = await organization.season();
    for (let times = 0; times < 5; times++) await organization.team({ season });
    const other = await createOrganization(server);
    await change('seasons', season, { organizationId: new ObjectId(other.id) });
    const create = () => organization.call('post', '/teams').send({ name: 'Hawks', season });
    await eventuallyPasses(async () => void expectError(await create(), 40302));
    await (await server.database()).collection('seasons').deleteOne({ _id: new ObjectId(season) });
    await eventuallyPasses(async () => void expectError(await create(), 40404));
  });
});
