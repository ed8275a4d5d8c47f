import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  listSchedules,
  minutesAfterStart,
  postSchedule,
  readSchedule,
  defaultStart,
  nonDefaultFields,
  listScheduleIds,
  patchSchedule,
  deleteSchedule,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

describe('POST /schedules', () => {
  const organization = TestOrganization.forTests(server);
  let team: Stored;
  let opponent: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
    opponent = await organization.team({ name: 'Foxes' });
  });

  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Wolves' });

  it('returns 201 with the unwrapped schedule: defaults for omitted fields, no unset fields', async () => {
    const before = Date.now();
    const response = await postSchedule(organization, minimal()).expect(201);
    const created = response.body as Stored;
    expect(created).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      organizationId: organization.id,
      teamOneId: team._id,
      teamId: team._id,
      teamTwoName: 'Wolves',
      eventType: 'game',
      eventTitle: 'Hawks vs Wolves',
      startDate: defaultStart,
      endDate: minutesAfterStart(30),
      duration: 30,
      matchupFormat: 'halves',
      teamFormat: '7v7',
      isTestGame: false,
      isScrimmage: false,
      enableYardage: false,
      allowZeroYardStart: false,
      overtimeType: 'unlimited',
      status: 'scheduled',
      season: team['season'],
      revision: 1,
      changedBy: organization.asChangedBy(),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      updatedAt: created['createdAt'],
    });
    expect(Date.parse(String(created['createdAt']))).toBeGreaterThanOrEqual(before);
    expect(Date.parse(String(created['createdAt']))).toBeLessThanOrEqual(Date.now());
  });

  const everything = () => ({
    teamId: team._id,
    startDate: defaultStart,
    teamTwoId: opponent._id,
    teamTwoName: 'The Foxes',
    eventType: 'game',
    ...nonDefaultFields(),
  });

  it('stores every value as sent, and returns it identically from create, get and list', async () => {
    const own = await createOrganization(server);
    const linked = await own.team({ name: 'Foxes' });
    const { _id: teamId } = await own.team({ season: linked['season'] });
    const sent = { ...everything(), teamId, teamTwoId: linked._id };
    const created = bodyOf(await postSchedule(own, sent).expect(201));
    expect(created).toMatchObject({ ...sent, teamOneId: teamId, eventTitle: 'Hawks vs The Foxes', revision: 1 });
    const read = await own.call('get', `/schedules/${created._id}`).expect(200);
    const listed = await own.call('get', '/schedules').expect(200);
    expect(read.body).toEqual({ data: created });
    expect(listed.body).toEqual({ data: [created], total: 1 });
  });

  it('stores a location as sent: every JSON type, empty objects and lists, and keys in their order', async () => {
    const types = {
      zebra: ' é 🏈 ',
      large: 9_007_199_254_740_991,
      part: 0.1,
      yes: true,
      none: null,
      list: [],
      object: {},
    };
    const location = { ...types, a$b: '$where', deep: { type: 'x', _id: { toJSON: 1, length: 5 } } };
    const { _id, ...created } = bodyOf(await postSchedule(organization, { ...minimal(), location }).expect(201));
    const read = await readSchedule(organization, _id);
    for (const kept of [created, read]) expect(JSON.stringify(kept['location'])).toBe(JSON.stringify(location));
  });

  describe('opponent', () => {
    it('missing returns 40002, whatever else is invalid', async () => {
      const fields = { teamId: 5, teamTwoName: null, duration: '30', location: { constructor: 1 } };
      const body = expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002);
      expect(body.message).toBe('Either teamTwoId or teamTwoName must be provided');
    });

    it('has the name of the linked team if only teamTwoId is sent', async () => {
      const sent = { teamId: team._id, startDate: defaultStart, teamTwoId: opponent._id };
      const body = bodyOf(await postSchedule(organization, sent).expect(201));
      expect(body).toMatchObject({ teamTwoId: opponent._id, teamTwoName: 'Foxes', eventTitle: 'Hawks vs Foxes' });
    });

    it('must not be the owning team, except in a practice', async () => {
      const playsItself = { ...minimal(), teamTwoId: team._id.toUpperCase() };
      expectFieldError(await postSchedule(organization, playsItself), 'teamTwoId');
      await postSchedule(organization, { ...playsItself, eventType: 'practice' }).expect(201);
    });
  });

  it('accepts team IDs in upper case and returns them in lower case', async () => {
    const sent = { teamId: team._id.toUpperCase(), startDate: defaultStart, teamTwoId: opponent._id.toUpperCase() };
    const body = bodyOf(await postSchedule(organization, sent).expect(201));
    expect(body).toMatchObject({ teamId: team._id, teamOneId: team._id, teamTwoId: opponent._id });
  });

  it('rejects a body without teamId and startDate, naming both', async () => {
    const response = await postSchedule(organization, { teamTwoName: 'Wolves' });
    expectFieldError(response, 'teamId');
    expectFieldError(response, 'startDate');
  });

  it('creates nothing if it rejects the body', async () => {
    const own = await createOrganization(server);
    const { _id } = await own.team();
    const invalid = [{ duration: 31 }, { teamId: team._id }, { teamTwoId: _id }, { endDate: defaultStart }];
    for (const fields of invalid) {
      const response = await postSchedule(own, { ...minimal(), teamId: _id, ...fields });
      expect([400, 403]).toContain(response.status);
    }
    expect(await listSchedules(own)).toEqual({ data: [], total: 0 });
  });
});

describe('PATCH /schedules/{scheduleId}', () => {
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  /** Values that differ from the defaults. */
  const nonDefault = () => ({ eventType: 'practice', ...nonDefaultFields() });

  const change = (schedule: Stored, fields: Record<string, unknown>) =>
    patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });

  it('changes only the sent field: other fields keep their values, and no default is applied', async () => {
    const created = await organization.schedule(team._id, nonDefault());
    const changed = bodyOf(await change(created, { eventTitle: 'Final' }).expect(200));
    expect(changed).toEqual({ ...created, eventTitle: 'Final', revision: 2, updatedAt: changed['updatedAt'] });
    expect(await readSchedule(organization, created._id)).toEqual(changed);
  });

  it('changes all fields at once', async () => {
    const created = await organization.schedule(team._id);
    const all = { ...nonDefault(), startDate: minutesAfterStart(5), teamTwoName: 'Wolves', eventTitle: 'Final' };
    const before = Date.now();
    const body = bodyOf(await change(created, all).expect(200));
    expect(body).toEqual({ ...created, ...all, revision: 2, updatedAt: body['updatedAt'] });
    expect(Date.parse(String(body['updatedAt']))).toBeGreaterThanOrEqual(before);
  });

  it('finds a schedule and its team by their IDs in upper case', async () => {
    const created = await organization.schedule(team._id);
    const _id = created._id.toUpperCase();
    const body = bodyOf(await change({ _id }, { teamId: team._id.toUpperCase(), eventTitle: 'Final' }).expect(200));
    expect(body).toMatchObject({ _id: created._id, teamId: team._id, eventTitle: 'Final' });
    expect(await readSchedule(organization, _id)).toEqual(body);
  });

  it('with null clears optional fields, which are then omitted', async () => {
    const created = await organization.schedule(team._id, nonDefault());
    const nulls = { locationName: null, placeId: null, location: null, practiceNote: null, tournamentId: null };
    const body = bodyOf(await change(created, nulls).expect(200));
    const kept = Object.entries(created).filter(([field]) => !(field in nulls));
    expect(body).toEqual({ ...Object.fromEntries(kept), revision: 2, updatedAt: body['updatedAt'] });
    expect(await readSchedule(organization, created._id)).toEqual(body);
    expect(bodyOf(await change(created, nulls).expect(200))).toEqual(body);
  });

  it('with "endDate": null computes the end from the start and the duration, with the same result if repeated', async () => {
    const created = await organization.schedule(team._id, { duration: 48, endDate: minutesAfterStart(95) });
    const sent = { startDate: minutesAfterStart(5), endDate: null };
    const body = bodyOf(await change(created, sent).expect(200));
    expect(body).toMatchObject({ startDate: minutesAfterStart(5), endDate: minutesAfterStart(53) });
    expect(bodyOf(await change(created, sent).expect(200))).toEqual(body);
  });

  it('with another opponent stores its ID and name, and lists the schedule for it and no longer for the old one', async () => {
    const [before, after] = [await organization.team(), await organization.team({ name: 'Wolves' })];
    const { _id } = await organization.schedule(team._id, { teamTwoId: before._id });
    const listed = async () => [
      await listScheduleIds(organization, `teamId=${before._id}`),
      await listScheduleIds(organization, `teamId=${after._id}`),
    ];
    expect(await listed()).toEqual([[_id], []]);
    const body = bodyOf(await change({ _id }, { teamTwoId: after._id, eventTitle: null }).expect(200));
    expect(body).toMatchObject({ teamTwoId: after._id, teamTwoName: 'Wolves', eventTitle: 'Hawks vs Wolves' });
    expect(await listed()).toEqual([[], [_id]]);
    expect(bodyOf(await change({ _id }, { teamTwoId: null }).expect(200))).not.toHaveProperty('teamTwoId');
    expect(await listed()).toEqual([[], []]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an invalid value', { duration: 31 }, 'duration'],
    ['a field that cannot be changed', { organizationId: 'f'.repeat(24) }, 'organizationId'],
    ['no teamId', { teamId: undefined }, 'teamId'],
    ['an end at the stored start', { endDate: defaultStart }, 'endDate'],
    ['yardage without a field size, even if one is stored', { enableYardage: true }, 'fieldSizeInYard'],
  ])('rejects %s, and changes nothing', async (_what, fields, field) => {
    const created = await organization.schedule(team._id, nonDefault());
    expectFieldError(await change(created, { eventTitle: 'Changed', ...fields }), field);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });

  it('by the opponent, another team of the organization, returns 40304 even if it would break a rule', async () => {
    const opponent = await organization.team({ season: team['season'] });
    const created = await organization.schedule(team._id, { teamTwoId: opponent._id });
    for (const fields of [{}, { eventTitle: 'Changed' }, { endDate: '2020-01-01T00:00:00Z' }])
      expectError(await change(created, { teamId: opponent._id, ...fields }), 40304);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });
});

/** A deleted schedule is kept in the database and removed from every response. */
describe('DELETE /schedules/{scheduleId}', () => {
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
