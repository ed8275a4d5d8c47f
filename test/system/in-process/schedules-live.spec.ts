import type { RequestContext } from '../../../src/access/request-context.js';
import { withDefaults } from '../../../src/validation/dto.js';
import { ListSchedulesQuery } from '../../../src/modules/schedules/schedule.dto.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { SchedulesService } from '../../../src/modules/schedules/schedules.service.js';
import { newRequestContext, FixedClock, TestApplication } from '../../support/application.js';
import { buildScheduleRecord } from '../../support/records.js';

/** The start and end of the game. */
const start = new Date('2027-05-01T10:00:00.123Z');
const end = new Date('2027-05-01T10:30:00.124Z');
const filters = ['live', 'upcoming'] as const;

/** The filter that lists the game at a given time. */
type Listing = 'upcoming' | 'live' | 'neither';

describe('a schedule that starts and ends', () => {
  const clock = new FixedClock(start);
  const application = TestApplication.forTests(clock);
  let context: RequestContext;

  beforeEach(() => {
    context = newRequestContext();
  });

  async function store(fields: { startDate: Date; endDate: Date }): Promise<void> {
    const repository = application.get(SchedulesRepository);
    await repository.insertIdempotent(context, buildScheduleRecord(context, fields), undefined, {});
  }

  async function listingAt(moment: number): Promise<Listing> {
    clock.advance(moment - clock.now().getTime());
    const listedIn: Listing[] = [];
    for (const filter of filters) {
      const query = withDefaults(ListSchedulesQuery, { filter });
      const { data, total } = await application.get(SchedulesService).list(context, query);
      expect(data).toHaveLength(total);
      if (total > 0) listedIn.push(filter);
    }
    expect(listedIn.length).toBeLessThan(2);
    return listedIn[0] ?? 'neither';
  }

  it.each<[moment: string, at: number, expected: Listing]>([
    ['the millisecond before the start', start.getTime() - 1, 'upcoming'],
    ['the millisecond of the start', start.getTime(), 'live'],
    ['the millisecond before the end', end.getTime() - 1, 'live'],
    ['the millisecond of the end', end.getTime(), 'neither'],
  ])('%s: is listed correctly', async (_, at, expected) => {
    await store({ startDate: start, endDate: end });
    expect(await listingAt(at)).toBe(expected);
  });
});
