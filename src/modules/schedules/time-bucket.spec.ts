import fc from 'fast-check';
import { liveConditions, timeBucketOf } from './time-bucket.js';

fc.configureGlobal({ seed: 20270501, numRuns: 2_000 });

const first = Date.parse('1970-01-01T00:00:00Z');
const last = Date.parse('2199-12-31T23:59:59.999Z');
const hour = 3_600_000;

/** Any length of a schedule; short ones and those around a bucket length are more frequent. */
const lengths = fc.oneof(
  fc.integer({ min: 1, max: 4 * hour }),
  fc.tuple(fc.nat(10), fc.constantFrom(-1, 0, 1)).map(([index, off]) => hour * 4 ** index + off),
  fc.integer({ min: 1, max: last - first }),
);
const schedules = fc
  .record({ start: fc.integer({ min: first, max: last - 1 }), length: lengths })
  .map(({ start, length }) => ({ startDate: new Date(start), endDate: new Date(Math.min(last, start + length)) }));

/** Returns whether the query of a moment includes the schedule's bucket. */
function isQueried(schedule: { startDate: Date; endDate: Date }, moment: Date): boolean {
  const [inBuckets] = liveConditions(moment) as [{ timeBucket: { $in: number[] } }];
  return inBuckets.timeBucket.$in.includes(timeBucketOf(schedule));
}

describe('time buckets', () => {
  it('include every schedule at each moment at which it is live', () => {
    const moments = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(schedules, moments, (schedule, share) => {
        const { startDate, endDate } = schedule;
        const inside = startDate.getTime() + Math.floor(share * (endDate.getTime() - startDate.getTime()));
        for (const moment of [startDate.getTime(), inside, endDate.getTime() - 1]) {
          expect(isQueried(schedule, new Date(moment))).toBe(true);
        }
      }),
    );
  });

  it('exclude a game that ended two hours ago, and one that starts in two hours', () => {
    const now = Date.parse('2027-05-01T12:30:00Z');
    const game = (start: number) => ({ startDate: new Date(start), endDate: new Date(start + hour / 2) });
    expect([-2.5, -0.2, 2].map((hours) => isQueried(game(now + hours * hour), new Date(now)))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('are 25 per query, however long schedules are', () => {
    const [inBuckets] = liveConditions(new Date()) as [{ timeBucket: { $in: unknown[] } }];
    expect(inBuckets.timeBucket.$in).toHaveLength(25);
  });
});
