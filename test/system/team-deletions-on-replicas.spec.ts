import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, ObjectId } from 'mongodb';
import type { Response } from 'supertest';
import { mapBounded } from '../support/concurrency.js';
import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(180_000);

const rounds = 60;
const startDate = '2027-05-01T10:00:00Z';

/** Every request that adds a record to a team; `game` is a schedule of another team. */
type Addition = (organization: TestOrganization, team: string, game: Stored) => PromiseLike<Response>;
const additions: Record<string, Addition> = {
  'a player': (organization, team) =>
    organization.call('post', `/teams/${team}/players`).set('idem-key', randomUUID()).send({ name: 'Jordan Lee' }),
  'players in bulk': (organization, team) =>
    organization
      .call('post', `/teams/${team}/players/bulk`)
      .send({ rows: [{ externalId: 'one', name: 'Jordan Lee' }] }),
  'a player of another team': async (organization, teamId, { teamId: from }) => {
    const { _id } = await organization.player(String(from));
    return organization.call('patch', `/teams/${String(from)}/players/${_id}`).send({ teamId });
  },
  'a schedule': (organization, teamId) =>
    organization.call('post', '/schedules').send({ teamId, startDate, teamTwoName: 'Foxes' }),
  'the opponent of a schedule': (organization, teamTwoId, { _id, teamId }) =>
    organization.call('patch', `/schedules/${_id}`).send({ teamId, teamTwoId }),
};

describe('a team that is deleted on one replica while another one adds to it', () => {
  let one: RunningServer;
  let other: RunningServer;
  let organization: TestOrganization;
  let database: Db;
  let season: string;

  beforeAll(async () => {
    one = await RunningServer.start();
    other = await RunningServer.start({ MONGODB_URI: one.databaseUri });
    organization = await createOrganization(one);
    database = await one.database();
    season = (await organization.season())._id;
  });
  afterAll(async () => {
    await other.end();
    await one.stop();
  });

  const newTeam = (): Promise<Stored> => organization.team({ season, externalId: randomUUID() });
  const remove = ({ _id, externalId }: Stored, round: number): PromiseLike<Response> =>
    round % 2 === 0
      ? organization.call('delete', `/teams/${_id}`)
      : organization.call('post', '/teams/bulk').send({ rows: [{ externalId, delete: true }] });
  const isDone = ({ status, body }: Response) =>
    status < 300 && !('summary' in body && (body as { summary: { failed: number } }).summary.failed > 0);

  it.each(Object.entries(additions))('is either deleted or gets %s', async (_what, add) => {
    const owner = await newTeam();
    const outcomes = await mapBounded(
      Array.from({ length: rounds }, (_none, round) => round),
      10,
      async (round) => {
        const [team, game] = [await newTeam(), await organization.schedule(owner._id)];
        // So that both replicas have the team in their caches.
        for (const server of [one, other]) {
          await organization.over(server).call('get', `/teams/${team._id}/players`).expect(200);
        }
        // Before and after the deletion has looked for records, and when it has marked the team.
        const lead = Math.random() * 40 - 10;
        const removing = sleep(Math.max(0, -lead)).then(() => remove(team, round));
        const adding = sleep(Math.max(0, lead)).then(() =>
          add(organization.over(round % 3 ? other : one), team._id, game),
        );
        const [removed, added] = await Promise.all([removing, adding]);
        return `${isDone(removed) ? 'deleted' : 'kept'}, ${isDone(added) ? 'added' : 'rejected'}`;
      },
    );
    const grouped = Map.groupBy(outcomes, String);
    const counts = Object.fromEntries([...grouped].map(([name, { length }]) => [name, length]));
    process.stdout.write(`  ${JSON.stringify(counts)}\n`);
    expect(Object.keys(counts).sort()).toEqual(['deleted, rejected', 'kept, added']);
    expect(await recordsOfDeletedTeams()).toBe(0);
  });

  it('loses what a request adds after a longer interruption', async () => {
    const [team, owner] = [await newTeam(), await newTeam()];
    const player = await organization.player(owner._id, { name: 'Late' });
    const [own, linked] = [await organization.schedule(owner._id), await organization.schedule(owner._id)];
    await organization.call('delete', `/teams/${team._id}`).expect(200);
    const teamId = new ObjectId(team._id);
    const late = [
      ['players', player, { teamId }],
      ['schedules', own, { teamOneId: teamId }],
      ['schedules', linked, { teamTwoId: teamId }],
    ] as const;
    for (const [name, { _id }, $set] of late) {
      await database.collection(name).updateOne({ _id: new ObjectId(_id) }, { $set });
    }
    await eventually('they are removed', async () => (await recordsOfDeletedTeams()) === 0, 30);
    const { data } = (await organization.call('get', `/schedules/${linked._id}`).expect(200)).body as { data: Stored };
    expect(data).toMatchObject({ teamTwoName: 'Foxes', revision: 2, changedBy: { type: 'system' } });
    expect(data).not.toHaveProperty('teamTwoId');
  });

  it('can be used again ten seconds after an interrupted deletion', async () => {
    const team = await newTeam();
    const create = () =>
      organization.call('post', '/schedules').send({ teamId: team._id, startDate, teamTwoName: 'Foxes' });
    const start = (deletionStartedAt: Date) =>
      database.collection('teams').updateOne({ _id: new ObjectId(team._id) }, { $set: { deletionStartedAt } });
    await start(new Date());
    await eventually('nothing can be added', async () => (await create()).status === 403);
    expectError(await create(), 40301);
    await start(new Date(Date.now() - 11_000));
    await create().expect(201);
  });

  /** Counts records of deleted teams. */
  async function recordsOfDeletedTeams(): Promise<number> {
    const teams = await database.collection('teams').distinct('_id', { deletedAt: { $type: 'date' } });
    const ofTeams = { $in: teams };
    const players = await database.collection('players').countDocuments({ teamId: ofTeams, deletedAt: null });
    const sides = [{ teamOneId: ofTeams }, { teamTwoId: ofTeams }];
    return players + (await database.collection('schedules').countDocuments({ $or: sides, deletedAt: null }));
  }
});
