import { expectError, expectFieldError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  minutesAfterStart,
  postSchedule,
  readSchedule,
  defaultStart,
  listScheduleIds,
  patchSchedule,
  deleteSchedule,
  listSchedules,
  secondsFromNow,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';
import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { type Response } from 'supertest';
import { validateOutcome } from '../../src/modules/schedules/game-outcome.rules.js';

const server = RunningServer.forTests();

describe('POST /schedules', () => {
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Wolves' });

  it('returns 201 with the unwrapped schedule: defaults for omitted fields, no unset fields', async () => {
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

  it('without an opponent returns 40002, whatever else is invalid', async () => {
    const fields = { teamId: 5, teamTwoName: null, duration: '30', location: { constructor: 1 } };
    const body = expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002);
    expect(body.message).toBe('Either teamTwoId or teamTwoName must be provided');
  });
});

describe('PATCH /schedules/{scheduleId}', () => {
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  const change = (schedule: Stored, fields: Record<string, unknown>) =>
    patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });

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

  it('or DELETE by the opponent, another team of the organization, returns 40304 even if it would break a rule', async () => {
    const opponent = await organization.team({ season: team['season'] });
    const created = await organization.schedule(team._id, { teamTwoId: opponent._id });
    for (const fields of [{}, { eventTitle: 'Changed' }, { endDate: '2020-01-01T00:00:00Z' }])
      expectError(await change(created, { teamId: opponent._id, ...fields }), 40304);
    expectError(await deleteSchedule(organization, created._id, opponent._id), 40304);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });
});

/** Which schedules `filter` lists: below, and to the millisecond in-process/schedules.spec.ts. */
describe('GET /schedules', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);
  let team: Stored;

  beforeEach(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  const from = (startDate: string) => organization.schedule(team._id, { startDate });

  it('with teamId lists schedules of the team on either side, each once', async () => {
    const [foxes, wolves] = [await organization.team({ name: 'Foxes' }), await organization.team({ name: 'Wolves' })];
    const own = await organization.schedule(foxes._id, { teamTwoId: wolves._id });
    const away = await organization.schedule(team._id, { teamTwoId: foxes._id });
    const against = await organization.schedule(team._id, { teamTwoName: 'Foxes' });
    const itself = await organization.schedule(foxes._id, { teamTwoId: foxes._id, eventType: 'practice' });
    expect(await listSchedules(organization, `teamId=${foxes._id}`)).toEqual({ data: [own, away, itself], total: 3 });
    expect(await listScheduleIds(organization, `teamId=${wolves._id.toUpperCase()}`)).toEqual([own._id]);
    expect(await listScheduleIds(organization, `teamId=${team._id}`)).toEqual([away._id, against._id]);
  });

  it('with startDateFrom, inclusive, and startDateTo, exclusive, lists the period between them', async () => {
    const justBefore = new Date(Date.parse(defaultStart) - 1).toISOString();
    const created = [await from(justBefore), await from(defaultStart), await from(minutesAfterStart(60))];
    const at = (...indexes: number[]) => indexes.map((index) => created[index]?._id);
    expect(await listScheduleIds(organization, `startDateFrom=${defaultStart}`)).toEqual(at(1, 2));
    expect(await listScheduleIds(organization, `startDateTo=${defaultStart}`)).toEqual(at(0));
    // The unescaped + of an offset arrives as a space.
    const period = 'startDateFrom=2027-05-01T12:00:00+02:00&startDateTo=2027-05-01T13:00:00+02:00';
    expect(await listScheduleIds(organization, period)).toEqual(at(1));
    const empty = `startDateFrom=${defaultStart}&startDateTo=${defaultStart}`;
    expect(await listSchedules(organization, empty)).toEqual({ data: [], total: 0 });
  });

  it('combines all filters with AND', async () => {
    const foxes = await organization.team({ name: 'Foxes' });
    const matching = { startDate: '2190-05-01T10:00:00Z', teamTwoId: foxes._id };
    const wanted = await organization.schedule(team._id, matching);
    await organization.schedule(team._id, { ...matching, eventType: 'practice' });
    await organization.schedule(team._id, { ...matching, teamTwoId: undefined });
    await organization.schedule(team._id, { ...matching, startDate: '2190-05-01T09:59:59Z' });
    await organization.schedule(team._id, { ...matching, startDate: '2190-05-01T11:00:00Z' });
    const deleted = await organization.schedule(team._id, matching);
    await deleteSchedule(organization, deleted._id, team._id).expect(200);
    const span = 'startDateFrom=2190-05-01T10:00:00Z&startDateTo=2190-05-01T11:00:00Z';
    const query = `filter=upcoming&teamId=${foxes._id}&eventType=game&${span}&page=1&limit=5`;
    expect(await listSchedules(organization, query)).toEqual({ data: [wanted], total: 1 });
    expect(await listScheduleIds(organization, query.replace('upcoming', 'live'))).toEqual([]);
  });

  it('is ordered by startDate, then by _id, and follows a changed startDate', async () => {
    const last = await from(minutesAfterStart(30));
    const same = [await from(defaultStart), await from(defaultStart), await from(defaultStart)];
    const ids = same.map(({ _id }) => _id).sort();
    expect(await listScheduleIds(organization)).toEqual([...ids, last._id]);
    const change = { teamId: team._id, startDate: minutesAfterStart(-30) };
    await organization.call('patch', `/schedules/${last._id}`).send(change).expect(200);
    expect(await listScheduleIds(organization)).toEqual([last._id, ...ids]);
  });
});

type Body = Record<string, unknown>;

/** The rules between the fields are tested in game-outcome.rules.spec.ts; here that every way to write a schedule keeps them. */
describe('the outcome of a schedule', () => {
  const organization = TestOrganization.forTests(server, beforeEach);
  let team: Stored;

  beforeEach(async () => {
    team = await organization.team();
  });

  const running = { teamOneScore: 14, teamTwoScore: 6 };
  const final = { status: 'final', teamOneScore: 21, teamTwoScore: 20 };
  const create = (fields: Body = {}) => organization.schedule(team._id, fields);
  const change = (id: string, fields: Body) => patchSchedule(organization, id, { teamId: team._id, ...fields });

  it('is scheduled at first, follows the game, and is cleared with null', async () => {
    const { _id: id, ...created } = await create({ timeZone: 'America/Denver' });
    expect(created).toMatchObject({ status: 'scheduled', timeZone: 'America/Denver' });
    expect(created).not.toHaveProperty('teamOneScore');
    await change(id, running).expect(200);
    await change(id, { teamOneScore: 21 }).expect(200);
    await change(id, { status: 'forfeited', forfeitedBy: 'teamTwo' }).expect(200);
    expect(await readSchedule(organization, id)).toMatchObject({
      status: 'forfeited',
      forfeitedBy: 'teamTwo',
      teamOneScore: 21,
    });
    const cleared = { status: 'cancelled', teamOneScore: null, teamTwoScore: null, forfeitedBy: null, timeZone: null };
    const body = bodyOf(await change(id, cleared).expect(200));
    expect(Object.keys(body).filter((name) => /Score|forfeited|timeZone/.test(name))).toEqual([]);
    expect(body).toMatchObject({ status: 'cancelled', revision: 5 });
  });

  it('is checked by each write', async () => {
    const [fields, field] = [{ status: 'final' }, 'teamTwoScore'];
    const required = { teamId: team._id, startDate: secondsFromNow(3600), teamTwoName: 'Foxes' };
    const { _id: id } = await create();
    expectFieldError(await postSchedule(organization, { ...required, ...fields }), field);
    expectFieldError(await change(id, fields), field);
    const path = `/schedules/by-external-id/${randomUUID()}`;
    expectFieldError(await organization.call('patch', path).send({ ...required, ...fields }), field);
    const rows = [
      { ...required, ...fields, externalId: 'wrong' },
      { ...required, ...final, externalId: 'right' },
    ];
    const response = await organization.call('post', '/schedules/bulk').send({ rows }).expect(200);
    const [refused, created] = (response.body as { data: { result: string; error?: { details: object[] } }[] }).data;
    expect(refused?.error?.details).toEqual(expect.arrayContaining([expect.objectContaining({ field })]));
    expect(created?.result).toBe('created');
    expect(await listScheduleIds(organization)).toHaveLength(2);
  });

  it('decides whether a schedule is live or upcoming, and is a filter of its own', async () => {
    const ids: Record<string, string> = {};
    for (const [status, fields] of Object.entries({
      scheduled: running,
      postponed: {},
      cancelled: {},
      final: running,
      forfeited: { forfeitedBy: 'both' },
    })) {
      const live = { startDate: secondsFromNow(-60), endDate: secondsFromNow(3600) };
      ids[`live ${status}`] = (await create({ ...live, status, ...fields }))._id;
      ids[`later ${status}`] = (await create({ startDate: secondsFromNow(3600), status, ...fields }))._id;
    }
    // As a schedule that was stored before there was a status.
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(ids['later scheduled']) }, { $unset: { status: 1 } });
    const listed = async (query: string) => {
      const { data, total } = await listSchedules(organization, query);
      expect(total).toBe(data.length);
      return data.map(({ _id }) => Object.keys(ids).find((name) => ids[name] === _id));
    };
    expect(await listed('filter=live')).toEqual(['live scheduled']);
    expect(await listed('filter=upcoming')).toEqual(['later scheduled']);
    expect(await listed('filter=upcoming&status=final')).toEqual([]);
    expect(await listed('status=scheduled')).toEqual(['live scheduled', 'later scheduled']);
    expect(await listed('status=final,postponed')).toEqual([
      'live postponed',
      'live final',
      'later postponed',
      'later final',
    ]);
    expect(await listed(`status=forfeited&startDateFrom=${secondsFromNow(60)}`)).toEqual(['later forfeited']);
    expect(await readSchedule(organization, ids['later scheduled'] ?? '')).toMatchObject({ status: 'scheduled' });
  });

  it('never breaks a rule after changes at once, each of which is valid alone', async () => {
    const { _id: id } = await create();
    const changes: Body[] = [
      { status: 'scheduled', forfeitedBy: null, ...running },
      { status: 'final', forfeitedBy: null },
      { status: 'cancelled', forfeitedBy: null, teamOneScore: null, teamTwoScore: null },
      { status: 'forfeited', forfeitedBy: 'teamOne' },
      { status: 'scheduled', forfeitedBy: null, teamOneScore: null, teamTwoScore: null },
      { eventType: 'practice' },
      { eventType: 'game' },
    ];
    const statuses = new Set<number>();
    for (let round = 0; round < 30; round++) {
      const sent = [0, 1, 2, 3].map((step) => changes[(round + step * (1 + (round % 6))) % 7] ?? {});
      const responses: Response[] = await Promise.all(sent.map(async (fields) => change(id, fields)));
      for (const { status } of responses) statuses.add(status);
      const stored: object = await readSchedule(organization, id);
      expect({ round, problems: validateOutcome(stored) }).toEqual({ round, problems: [] });
    }
    expect([...statuses].sort()).toEqual([200, 400]);
  });
});
