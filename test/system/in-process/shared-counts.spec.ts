import type { Tenant } from '../../../src/access/request-context.js';
import type { PageStart } from '../../../src/database/list-queries.js';
import { toRecordId } from '../../../src/database/record.js';
import { type ScheduleFilter, SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { newTenant, TestApplication } from '../../support/application.js';
import { captureCommands } from '../../support/explained.js';
import { buildScheduleRecord } from '../../support/records.js';

const minute = 60_000;
const begin = new Date('2027-05-01T12:00:00.000Z');
const at = (minutes: number) => new Date(begin.getTime() + minutes * minute);

describe('requests at once for the total of a list', () => {
  const application = TestApplication.forTests();
  let tenant: Tenant;
  const totals: number[] = [];

  beforeEach(async () => {
    totals.length = 0;
    tenant = await storeGames(10);
  });

  /** Stores a game for each minute before and after the begin. */
  async function storeGames(minutes: number): Promise<Tenant> {
    const owner = newTenant();
    const games = Array.from({ length: 2 * minutes + 1 }, (_none, index) => {
      const startDate = at(index - minutes);
      const teamOneId = toRecordId(index % 2 === 0 ? owner.organization.id : '6650f1f77bcf86cd79943911');
      return buildScheduleRecord(owner, { teamOneId, startDate, endDate: new Date(startDate.getTime() + 30 * minute) });
    });
    await application.connection.collection('schedules').insertMany(games);
    return owner;
  }

  /** By default of a page so far behind that its total is counted first, so that all counts begin at once. */
  const totalOf = async (filter: ScheduleFilter, of = tenant, start: PageStart = { limit: 1, page: 20_000 }) =>
    (await application.get(SchedulesRepository).findMatching(of, filter, start)).total;

  /** Returns how many counts the database gets while all of these are listed. */
  async function countsFor(...lists: (() => Promise<number>)[]): Promise<number> {
    const list = async () => void totals.push(...(await Promise.all(lists.map((each) => each()))));
    return (await captureCommands(application.connection, list, ['aggregate'])).length;
  }

  it('share one count', async () => {
    const list = () => totalOf({ eventType: 'game' });
    expect(await countsFor(list, list, list)).toBe(1);
    expect(totals).toEqual([21, 21, 21]);
  });

  it('do not share it with other filters or organizations', async () => {
    const other = await storeGames(5);
    const lists = [
      () => totalOf({}),
      () => totalOf({}, other),
      () => totalOf({ teamId: tenant.organization.id }),
      () => totalOf({ startDateFrom: begin }),
      () => totalOf({ filter: 'upcoming', asOf: begin }),
      () => totalOf({ filter: 'live', asOf: at(1) }),
    ];
    expect(await countsFor(...lists)).toBe(6);
    expect(totals).toEqual([21, 11, 11, 11, 10, 12]);
  });

  it('get what is upcoming at the time of the last of them', async () => {
    const lists = [0, 1, 3].map((minutes) => () => totalOf({ filter: 'upcoming', asOf: at(minutes) }));
    expect(await countsFor(...lists)).toBe(1);
    expect(totals).toEqual([7, 7, 7]);
  });

  it('get what was upcoming at the time of their own first page, with a cursor', async () => {
    const after = { limit: 1, after: { at: at(5) } };
    const lists = [0, 1, 3].map((minutes) => () => totalOf({ filter: 'upcoming', asOf: at(minutes) }, tenant, after));
    expect(await countsFor(...lists)).toBe(3);
    expect(totals).toEqual([10, 9, 7]);
  });
});
