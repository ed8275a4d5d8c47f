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

/** Pages of 20, at most of 100, each schedule on exactly one, and which values of the query are refused. */
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

  /** Schedules that begin so many minutes after the usual start. */
  async function beginning(...minutes: number[]): Promise<Stored[]> {
    const created: Stored[] = [];
    for (const minute of minutes) {
      created.push(await organization.schedule(team._id, { startDate: minutesAfterStart(minute) }));
    }
    return created;
  }

  const idsOf = (schedules: Stored[]) => schedules.map(({ _id }) => _id);

  it('are in the order of startDate, not of creation', async () => {
    const [third, first, second] = await beginning(30, 10, 20);
    expect((await listSchedules(organization)).data).toEqual([first, second, third]);
  });

  it('are in the order of _id where startDate is the same', async () => {
    const created = await beginning(0, 0, 0, 0, 0);
    expect(await listScheduleIds(organization)).toEqual(idsOf(created).sort());
  });

  it('follow a changed startDate', async () => {
    const [first, second] = await beginning(10, 20);
    const change = { teamId: team._id, startDate: minutesAfterStart(30) };
    await patchSchedule(organization, String(first?._id), change).expect(200);
    expect(await listScheduleIds(organization)).toEqual([second?._id, first?._id]);
  });

  it('have 20 entries where no limit is sent, and begin with page 1', async () => {
    const created = await beginning(...Array.from({ length: 22 }, (_none, index) => index));
    expect(await listSchedules(organization)).toEqual({ data: created.slice(0, 20), total: 22 });
    expect(await listSchedules(organization, 'page=2')).toEqual({ data: created.slice(20), total: 22 });
    expect(await listSchedules(organization, 'limit=100')).toEqual({ data: created, total: 22 });
  });

  it('give every schedule once, also where many begin at the same moment, with the same total on each', async () => {
    const created = await beginning(0, 0, 0, 0, 5, 0, 0);
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
      await beginning(0, 10, 20);
      expect(await listSchedules(organization, query)).toEqual({ data: [], total: 3 });
    },
  );

  it('count what matches the filter only, exactly, at every moment', async () => {
    const created = await beginning(0, 10, 20);
    await organization.schedule(team._id, { eventType: 'practice' });
    expect((await listSchedules(organization, 'eventType=game&limit=1')).total).toBe(3);
    await deleteSchedule(organization, String(created[0]?._id), team._id).expect(200);
    expect((await listSchedules(organization, 'eventType=game&limit=1')).total).toBe(2);
    expect((await listSchedules(organization, 'limit=1')).total).toBe(3);
  });
});

describe('the page and the limit of GET /schedules', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  it.each(['page=1', 'limit=1', 'limit=100', 'page=1000000'])('are asked for with %s', async (query) => {
    expect((await listSchedules(organization, query)).total).toBe(0);
  });

  const wrong = [
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
    ...[...wrong, '1000001'].map((value) => ['page', value] as const),
    ...[...wrong, '101', '1000'].map((value) => ['limit', value] as const),
  ])('are not asked for with %s=%j: 400', async (parameter, value) => {
    expectFieldError(await organization.call('get', '/schedules').query({ [parameter]: value }), parameter);
  });

  it.each(['page=1&page=2', 'page=1&page=1'])('are not asked for with %s', async (query) => {
    expectFieldError(await organization.call('get', `/schedules?${query}`), 'page');
  });

  it('name both page and limit where both are wrong', async () => {
    const response = await organization.call('get', '/schedules?page=0&limit=101');
    expectFieldError(response, 'page');
    expectFieldError(response, 'limit');
  });
});
