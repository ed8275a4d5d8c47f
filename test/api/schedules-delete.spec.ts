import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { bodyOf, deleteSchedule, listSchedules, patchSchedule, readSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** A deleted schedule is kept in the database and removed from every response. */
describe('DELETE /schedules/{scheduleId}', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team();
  });

  it('returns 200 with only a message, and marks the schedule as deleted instead of removing it', async () => {
    const { _id } = await organization.schedule(team._id);
    const before = Date.now();
    const body = bodyOf(await deleteSchedule(organization, _id, team._id).expect(200));
    expect(body).toEqual({ message: expect.stringMatching(/\S/) as string });
    const schedules = (await server.database()).collection('schedules');
    const stored = await schedules.findOne({ _id: new ObjectId(_id) });
    expect((stored?.['deletedAt'] as Date).getTime()).toBeGreaterThanOrEqual(before);
    expect(stored).toMatchObject({ teamTwoName: 'Foxes', eventTitle: 'Hawks vs Foxes' });
  });

  it('makes get, patch, delete and statistics of the schedule return 404', async () => {
    const { _id } = await organization.schedule(team._id);
    await deleteSchedule(organization, _id, team._id).expect(200);
    expectError(await organization.call('get', `/schedules/${_id}`), 40402);
    expectError(await organization.call('get', `/schedules/${_id}/player-statistics`), 40402);
    expectError(await patchSchedule(organization, _id, { teamId: team._id, eventTitle: 'Final' }), 40402);
    expectError(await patchSchedule(organization, _id, { teamId: team._id }), 40402);
    expectError(await deleteSchedule(organization, _id, team._id), 40402);
  });

  it('removes the schedule from every list and total, and keeps the others', async () => {
    const own = await createOrganization(server);
    const ownTeam = await own.team();
    const kept = await own.schedule(ownTeam._id, { startDate: '2190-01-01T00:00:00Z' });
    const { _id } = await own.schedule(ownTeam._id, { startDate: '2190-01-01T00:00:00Z' });
    await deleteSchedule(own, _id, ownTeam._id).expect(200);
    for (const query of [
      '',
      'filter=upcoming',
      `teamId=${ownTeam._id}`,
      'eventType=game',
      'startDateFrom=2190-01-01T00:00:00Z',
    ]) {
      expect(await listSchedules(own, query)).toEqual({ data: [kept], total: 1 });
    }
  });

  it('succeeds for exactly one of several concurrent requests; the others get 404', async () => {
    const { _id } = await organization.schedule(team._id);
    const calls = Array.from({ length: 8 }, async () => deleteSchedule(organization, _id, team._id));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
  });

  it('by the opponent, another team of the organization, returns 40304', async () => {
    const opponent = await organization.team({ season: team['season'] });
    const created = await organization.schedule(team._id, { teamTwoId: opponent._id });
    expectError(await deleteSchedule(organization, created._id, opponent._id), 40304);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });
});
