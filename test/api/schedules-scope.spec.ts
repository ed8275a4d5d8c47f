import type { Response } from 'supertest';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { deleteSchedule, listSchedules, patchSchedule, readSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const unknownId = 'ffffffffffffffffffffffff';
const malformedIds = ['abc', '1', unknownId.slice(1), `${unknownId}f`, 'g'.repeat(24), '%00', '%20', `${unknownId}%20`];

/** Only its own organization can access a schedule, and only the owning team can change it. */
describe('a schedule', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;
  let otherTeam: Stored;
  let foreign: TestOrganization;
  let foreignTeam: Stored;
  let foreignSchedule: Stored;
  let schedule: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team();
    otherTeam = await organization.team({ name: 'Foxes' });
    foreign = await createOrganization(server, 'Another');
    foreignTeam = await foreign.team();
    foreignSchedule = await foreign.schedule(foreignTeam._id);
    schedule = await organization.schedule(team._id, { teamTwoId: otherTeam._id });
  });
  afterAll(() => server.stop());

  /** No test of this file changes these two schedules. */
  afterEach(async () => {
    expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    expect(await readSchedule(foreign, foreignSchedule._id)).toEqual(foreignSchedule);
  });

  const change = (id: string, teamId: string, fields: Record<string, unknown> = { eventTitle: 'Changed' }) =>
    patchSchedule(organization, id, { teamId, ...fields });

  it('is returned as {data: schedule}', async () => {
    const response = await organization.call('get', `/schedules/${schedule._id}`).expect(200);
    expect(response.body).toEqual({ data: schedule });
  });

  it('is found by its ID in upper case', async () => {
    expect(await readSchedule(organization, schedule._id.toUpperCase())).toEqual(schedule);
  });

  it('is not returned with an unknown query parameter', async () => {
    expectFieldError(await organization.call('get', `/schedules/${schedule._id}?teamId=${team._id}`), 'teamId');
  });

  it('is not accessible without a key, even if it does not exist', async () => {
    for (const id of [schedule._id, unknownId, 'abc']) {
      expectError(await server.call('get', `/v1/public-api/schedules/${id}`), 40101);
      expectError(await server.call('patch', `/v1/public-api/schedules/${id}`).send({}), 40101);
    }
  });

  const methods: [string, (id: string, teamId: string) => Promise<Response>][] = [
    ['PATCH', async (id, teamId) => change(id, teamId)],
    ['an empty PATCH', async (id, teamId) => change(id, teamId, {})],
    ['DELETE', async (id, teamId) => deleteSchedule(organization, id, teamId)],
  ];
  const everyMethod: typeof methods = [['GET', async (id) => organization.call('get', `/schedules/${id}`)], ...methods];

  describe.each(everyMethod)('for %s', (_method, call) => {
    it('of another organization returns 40302', async () => {
      expectError(await call(foreignSchedule._id, team._id), 40302);
    });

    it('that is unknown returns 40402', async () => {
      expectError(await call(unknownId, team._id), 40402);
    });

    it('that another organization deleted returns 40402', async () => {
      const deleted = await foreign.schedule(foreignTeam._id);
      await deleteSchedule(foreign, deleted._id, foreignTeam._id).expect(200);
      expectError(await call(deleted._id, team._id), 40402);
    });

    it.each(malformedIds)('with the malformed ID %s returns 40001, naming scheduleId', async (id) => {
      expectFieldError(await call(id, team._id), 'scheduleId');
    });
  });

  describe.each(methods)('for %s', (_method, call) => {
    it('by another team of the organization, the opponent, returns 40304', async () => {
      expectError(await call(schedule._id, otherTeam._id), 40304);
    });

    it('by a team of another organization returns 40301', async () => {
      expectError(await call(schedule._id, foreignTeam._id), 40301);
    });

    it.each([unknownId, 'abc', '{"$ne":null}', 'é😀'])('by %p, which is not a team, returns 40301', async (text) => {
      expectError(await call(schedule._id, text), 40301);
    });

    it('checks the team (403) before an unknown schedule (404)', async () => {
      expectError(await call(unknownId, foreignTeam._id), 40301);
    });

    it('checks the team (40301) before a foreign schedule (40302)', async () => {
      expectError(await call(foreignSchedule._id, foreignTeam._id), 40301);
    });

    it('checks the format of the ID (400) before the team (403)', async () => {
      expectFieldError(await call('abc', foreignTeam._id), 'scheduleId');
    });
  });

  it('checks fields (400) before the team (403), and the team before the schedule (404)', async () => {
    expectFieldError(await change(unknownId, foreignTeam._id, { duration: 31 }), 'duration');
    expectFieldError(await change(unknownId, foreignTeam._id, { overtimeType: 'limited' }), 'overtimeDuration');
    expectError(await change(unknownId, foreignTeam._id, { duration: 30 }), 40301);
    expectError(await change(unknownId, team._id, { duration: 30 }), 40402);
  });

  it('of another team returns 40304 even if the change would break a rule', async () => {
    expectError(await change(schedule._id, otherTeam._id, { endDate: '2020-01-01T00:00:00Z' }), 40304);
  });

  it('is never listed for another organization', async () => {
    const empty = await createOrganization(server);
    expect(await listSchedules(empty)).toEqual({ data: [], total: 0 });
    expect((await listSchedules(organization)).data.map(({ _id }) => _id)).not.toContain(foreignSchedule._id);
  });

  it('can be read and changed with any key of its organization', async () => {
    const own = await createOrganization(server);
    const { _id: teamId } = await own.team();
    const created = await own.schedule(teamId);
    const response = await server
      .asSuperAdmin('post', '/api-keys')
      .send({ name: 'Another', organizationId: own.id })
      .expect(201);
    const { apiKey } = response.body as { apiKey: string };
    const read = await own.call('get', `/schedules/${created._id}`, apiKey).expect(200);
    expect(read.body).toEqual({ data: created });
    await own.call('patch', `/schedules/${created._id}`, apiKey).send({ teamId, eventTitle: 'Final' }).expect(200);
    expect((await readSchedule(own, created._id))['eventTitle']).toBe('Final');
  });
});
