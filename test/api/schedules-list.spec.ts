import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import {
  deleteSchedule,
  listScheduleIds,
  listSchedules,
  minutesAfterStart,
  secondsFromNow,
  defaultStart,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** `live` is `startDate <= now < endDate`, `upcoming` is `startDate > now`. */
describe('GET /schedules', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    organization = await createOrganization(server);
    team = await organization.team({ name: 'Hawks' });
  });

  const from = (startDate: string, endDate?: string) =>
    organization.schedule(team._id, { startDate, ...(endDate !== undefined && { endDate }) });

  it('returns an empty list if there are no schedules', async () => {
    expect(await listSchedules(organization)).toEqual({ data: [], total: 0 });
  });

  it('lists past, live and upcoming games and practices', async () => {
    const created = [
      await from('2020-01-01T00:00:00Z'),
      await from('2021-01-01T00:00:00Z', '2190-01-01T00:00:00Z'),
      await organization.schedule(team._id, { startDate: '2190-01-01T00:00:00Z', eventType: 'practice' }),
    ];
    expect(await listSchedules(organization)).toEqual({ data: created, total: 3 });
  });

  describe('with filter', () => {
    /** The names of the schedules that a filter lists. */
    async function listed(filter: string, named: Record<string, Stored>): Promise<string[]> {
      const ids = await listScheduleIds(organization, `filter=${filter}`);
      return Object.keys(named).filter((name) => ids.includes(named[name]?._id ?? ''));
    }

    it('live lists those in progress, and upcoming those that have not started', async () => {
      const named = {
        past: await from('2020-01-01T00:00:00Z'),
        live: await from(secondsFromNow(-60), secondsFromNow(3600)),
        longLive: await from('1970-01-01T00:00:00Z', '2199-12-31T23:59:59Z'),
        upcoming: await from(secondsFromNow(3600)),
        farUpcoming: await from('2199-01-01T00:00:00Z'),
      };
      expect(await listed('live', named)).toEqual(['live', 'longLive']);
      expect(await listed('upcoming', named)).toEqual(['upcoming', 'farUpcoming']);
      expect((await listSchedules(organization, 'filter=live')).total).toBe(2);
      expect((await listSchedules(organization, 'filter=upcoming')).total).toBe(2);
    });

    it('live includes a schedule that starts now, and upcoming does not', async () => {
      const named = { now: await from(secondsFromNow(0), secondsFromNow(3600)) };
      expect(await listed('live', named)).toEqual(['now']);
      expect(await listed('upcoming', named)).toEqual([]);
    });

    it('neither includes a schedule that ends now', async () => {
      const named = { over: await from(secondsFromNow(-60), secondsFromNow(0)) };
      expect(await listed('live', named)).toEqual([]);
      expect(await listed('upcoming', named)).toEqual([]);
    });

    it('upcoming moves to live at the start, and out of live at the end', async () => {
      const [start, end] = [secondsFromNow(1.5), secondsFromNow(2.5)];
      const named = { soon: await from(start, end) };
      const seen = new Set<string>();
      while (Date.now() < Date.parse(end) + 200) {
        const before = Date.now();
        const counts = [(await listed('live', named)).length, (await listed('upcoming', named)).length].join();
        const after = Date.now();
        // Requests that span the start or the end can have either result.
        if (after < Date.parse(start)) expect(counts).toBe('0,1');
        if (before >= Date.parse(start) && after < Date.parse(end)) expect(counts).toBe('1,0');
        if (before >= Date.parse(end)) expect(counts).toBe('0,0');
        seen.add(counts);
      }
      expect([...seen]).toEqual(expect.arrayContaining(['1,0', '0,0']));
    });

    it('live follows a PATCH of the dates', async () => {
      const created = await from(secondsFromNow(3600));
      const change = { teamId: team._id, startDate: secondsFromNow(-60) };
      await organization.call('patch', `/schedules/${created._id}`).send(change).expect(200);
      expect(await listed('live', { moved: created })).toEqual(['moved']);
      expect(await listed('upcoming', { moved: created })).toEqual([]);
    });

    it('both follow a PATCH that computes the end', async () => {
      const moved = await from(secondsFromNow(-3600), secondsFromNow(3600));
      const move = async (startDate: string) => {
        const change = { teamId: team._id, startDate, endDate: null };
        await organization.call('patch', `/schedules/${moved._id}`).send(change).expect(200);
        return [await listed('live', { moved }), await listed('upcoming', { moved })];
      };
      expect(await listed('live', { moved })).toEqual(['moved']);
      expect(await move(secondsFromNow(-1900))).toEqual([[], []]);
      expect(await move(secondsFromNow(-60))).toEqual([['moved'], []]);
      expect(await move(secondsFromNow(86_400))).toEqual([[], ['moved']]);
    });
  });

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

  it.each(['game', 'practice'])('with eventType=%s lists only those', async (eventType) => {
    const created = {
      game: await organization.schedule(team._id),
      practice: await organization.schedule(team._id, { eventType: 'practice' }),
    };
    const expected = { data: [created[eventType as keyof typeof created]], total: 1 };
    expect(await listSchedules(organization, `eventType=${eventType}`)).toEqual(expected);
  });

  describe('with dates', () => {
    let created: Stored[];
    beforeEach(async () => {
      created = [
        await from(new Date(Date.parse(defaultStart) - 1).toISOString()),
        await from(defaultStart),
        await from(minutesAfterStart(60)),
      ];
    });
    const ids = (...indexes: number[]) => indexes.map((index) => created[index]?._id);

    it('startDateFrom is inclusive', async () => {
      expect(await listScheduleIds(organization, `startDateFrom=${defaultStart}`)).toEqual(ids(1, 2));
    });

    it('startDateTo is exclusive', async () => {
      expect(await listScheduleIds(organization, `startDateTo=${defaultStart}`)).toEqual(ids(0));
    });

    it('both together list the period between them', async () => {
      const query = `startDateFrom=${defaultStart}&startDateTo=${minutesAfterStart(60)}`;
      expect(await listSchedules(organization, query)).toEqual({ data: [created[1]], total: 1 });
    });

    it('an empty or negative period lists nothing', async () => {
      for (const end of [defaultStart, minutesAfterStart(-60)]) {
        const query = `startDateFrom=${defaultStart}&startDateTo=${end}`;
        expect(await listSchedules(organization, query)).toEqual({ data: [], total: 0 });
      }
    });
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
});

describe('GET /schedules rejects', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  it.each([
    ['filter', ['past', 'LIVE', 'Upcoming', 'live,upcoming', ' live', '']],
    ['eventType', ['GAME', 'scrimmage', 'game,practice', '']],
    ['teamId', ['']],
  ])('%s with a value that is not allowed: %j', async (parameter, values) => {
    for (const value of values) {
      expectFieldError(await organization.call('get', '/schedules').query({ [parameter]: value }), parameter);
    }
  });

  it.each([
    ['filter', 'live'],
    ['eventType', 'game'],
    ['teamId', 'ffffffffffffffffffffffff'],
    ['startDateFrom', defaultStart],
    ['startDateTo', defaultStart],
    ['page', '1'],
    ['limit', '20'],
  ])('a repeated %s', async (parameter, value) => {
    const path = `/schedules?${parameter}=${value}&${parameter}=${value}`;
    expectFieldError(await organization.call('get', path), parameter);
  });

  it.each([
    'season',
    'Filter',
    'offset',
    'organizationId',
    'filter[]',
    'teamId[$ne]',
    'startDate',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
  ])('the unknown parameter %s, naming it', async (parameter) => {
    expectFieldError(await organization.call('get', `/schedules?${parameter}=1`), parameter);
  });

  it('a team of no or another organization with 40301, after an invalid parameter (400)', async () => {
    const foreignTeam = await (await createOrganization(server, 'Another')).team();
    for (const teamId of [foreignTeam._id, 'ffffffffffffffffffffffff', 'abc']) {
      expectError(await organization.call('get', `/schedules?teamId=${teamId}`), 40301);
      expectFieldError(await organization.call('get', `/schedules?teamId=${teamId}&page=0`), 'page');
    }
  });

  it('a request without a key', async () => {
    expectError(await server.call('get', '/v1/public-api/schedules'), 40101);
  });
});
