import type { RequestContext } from '../../src/common/context/request-context.js';
import { withDefaults } from '../../src/common/validation/dto.js';
import { ListSchedulesQuery } from '../../src/modules/schedules/schedule.dto.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { SchedulesService } from '../../src/modules/schedules/schedules.service.js';
import { newRequestContext, FixedClock, TestApplication } from '../support/application.js';
import { buildScheduleRecord } from '../support/records.js';

/** When the game begins and ends. */
const start = new Date('2027-05-01T10:00:00.123Z');
const end = new Date('2027-05-01T10:30:00.124Z');
const filters = ['live', 'upcoming'] as const;

/** Where the game is listed at a moment. */
type Where = 'upcoming' | 'live' | 'neither';

describe('a schedule that goes live and ends', () => {
  let clock: FixedClock;
  let application: TestApplication;
  let context: RequestContext;

  beforeAll(async () => {
    clock = new FixedClock(start);
    application = await TestApplication.start(clock);
  });
  afterAll(() => application.stop());

  beforeEach(() => {
    context = newRequestContext();
  });

  async function store(fields: { startDate: Date; endDate: Date }): Promise<void> {
    const repository = application.get(SchedulesRepository);
    await repository.insertIdempotent(context, buildScheduleRecord(context, fields), undefined, {});
  }

  async function whereAt(moment: number): Promise<Where> {
    clock.advance(moment - clock.now().getTime());
    const listedIn: Where[] = [];
    for (const filter of filters) {
      const query = withDefaults(ListSchedulesQuery, { filter });
      const { data, total } = await application.get(SchedulesService).list(context, query);
      expect(data).toHaveLength(total);
      if (total > 0) listedIn.push(filter);
    }
    expect(listedIn.length).toBeLessThan(2);
    return listedIn[0] ?? 'neither';
  }

  it.each<[moment: string, at: number, where: Where]>([
    ['a day before it begins', start.getTime() - 86_400_000, 'upcoming'],
    ['the millisecond before it begins', start.getTime() - 1, 'upcoming'],
    ['the millisecond it begins', start.getTime(), 'live'],
    ['the millisecond after', start.getTime() + 1, 'live'],
    ['the millisecond before it ends', end.getTime() - 1, 'live'],
    ['the millisecond it ends', end.getTime(), 'neither'],
    ['the millisecond after that', end.getTime() + 1, 'neither'],
    ['a day after it ended', end.getTime() + 86_400_000, 'neither'],
  ])('is, %s, in its place', async (_, at, where) => {
    await store({ startDate: start, endDate: end });
    expect(await whereAt(at)).toBe(where);
  });

  it('is live for its one millisecond where it has no more', async () => {
    await store({ startDate: start, endDate: new Date(start.getTime() + 1) });
    const places = [];
    for (const after of [-1, 0, 1]) places.push(await whereAt(start.getTime() + after));
    expect(places).toEqual(['upcoming', 'live', 'neither']);
  });

  it('hands over to the next one without a moment between them, or a moment of both', async () => {
    await store({ startDate: start, endDate: end });
    await store({ startDate: end, endDate: new Date(end.getTime() + 1_800_000) });
    for (const after of [-1, 0, 1]) {
      clock.advance(end.getTime() + after - clock.now().getTime());
      const query = withDefaults(ListSchedulesQuery, { filter: 'live' });
      const { data } = await application.get(SchedulesService).list(context, query);
      expect(data.map(({ startDate }) => startDate)).toEqual([(after < 0 ? start : end).toISOString()]);
    }
  });
});
