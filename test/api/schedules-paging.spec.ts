import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import {
  deleteSchedule,
  listScheduleIds,
  listSchedules,
  minutesAfterStart,
  patchSchedule,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('the pages of GET /schedules', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    organization = await createOrganization(server);
    team = await organization.team();
  });

  /** Creates schedules that start this many minutes after the default start. */
  async function createSchedulesAt(...minutes: number[]): Promise<Stored[]> {
    const created: Stored[] = [];
    for (const minute of minutes) {
      created.push(await organization.schedule(team._id, { startDate: minutesAfterStart(minute) }));
    }
    return created;
  }

  const idsOf = (schedules: Stored[]) => schedules.map(({ _id }) => _id);

  it('are ordered by startDate, not by creation', async () => {
    const [third, first, second] = await createSchedulesAt(30, 10, 20);
    expect((await listSchedules(organization)).data).toEqual([first, second, third]);
  });

  it('are ordered by _id if startDate is the same', async () => {
    const created = await createSchedulesAt(0, 0, 0, 0, 0);
    expect(await listScheduleIds(organization)).toEqual(idsOf(created).sort());
  });

  it('follow a changed startDate', async () => {
    const [first, second] = await createSchedulesAt(10, 20);
    const change = { teamId: team._id, startDate: minutesAfterStart(30) };
    await patchSchedule(organization, String(first?._id), change).expect(200);
    expect(await listScheduleIds(organization)).toEqual([second?._id, first?._id]);
  });

  it('have 20 entries by default and start with page 1', async () => {
    const created = await createSchedulesAt(...Array.from({ length: 22 }, (_none, index) => index));
    expect(await listSchedules(organization)).toEqual({ data: created.slice(0, 20), total: 22 });
    expect(await listSchedules(organization, 'page=2')).toEqual({ data: created.slice(20), total: 22 });
    expect(await listSchedules(organization, 'limit=100')).toEqual({ data: created, total: 22 });
  });

  it('contain every schedule once, even if many have the same start, with the same total', async () => {
    const created = await createSchedulesAt(0, 0, 0, 0, 5, 0, 0);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listSchedules(organization, `page=${page}&limit=2`));
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 2, 1]);
    expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7]);
    const ids = pages.flatMap(({ data }) => idsOf(data));
    expect(ids).toEqual(await listScheduleIds(organization));
    expect([...ids].sort()).toEqual(idsOf(created).sort());
  });

  it.each(['page=2', 'page=1000000', 'page=1000000&limit=100', 'page=4&limit=1'])(
    'are empty past the end: %s',
    async (query) => {
      await createSchedulesAt(0, 10, 20);
      expect(await listSchedules(organization, query)).toEqual({ data: [], total: 3 });
    },
  );

  it('have the exact total of the matching schedules at any time', async () => {
    const created = await createSchedulesAt(0, 10, 20);
    await organization.schedule(team._id, { eventType: 'practice' });
    expect((await listSchedules(organization, 'eventType=game&limit=1')).total).toBe(3);
    await deleteSchedule(organization, String(created[0]?._id), team._id).expect(200);
    expect((await listSchedules(organization, 'eventType=game&limit=1')).total).toBe(2);
    expect((await listSchedules(organization, 'limit=1')).total).toBe(3);
  });
});

describe('page and limit of GET /schedules', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  it.each(['page=1', 'limit=1', 'limit=100', 'page=1000000'])('accept %s', async (query) => {
    expect((await listSchedules(organization, query)).total).toBe(0);
  });

  const invalid = [
    '0',
    '-1',
    '1.5',
    '1.0',
    '1e3',
    '0x10',
    '',
    ' ',
    ' 1',
    '1 ',
    'one',
    'NaN',
    'Infinity',
    'true',
    'null',
    '99999999999999999999',
  ];
  it.each([
    ...[...invalid, '1000001'].map((value) => ['page', value] as const),
    ...[...invalid, '101', '1000'].map((value) => ['limit', value] as const),
  ])('reject %s=%j', async (parameter, value) => {
    expectFieldError(await organization.call('get', '/schedules').query({ [parameter]: value }), parameter);
  });

  it.each(['page=1&page=2', 'page=1&page=1'])('reject %s', async (query) => {
    expectFieldError(await organization.call('get', `/schedules?${query}`), 'page');
  });

  it('are both reported if both are invalid', async () => {
    const response = await organization.call('get', '/schedules?page=0&limit=101');
    expectFieldError(response, 'page');
    expectFieldError(response, 'limit');
  });
});
