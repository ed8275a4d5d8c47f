import type { ScheduleRecord } from './schedule.schema.js';

/**
 * Lengths of time buckets in milliseconds: 1 hour, 4 hours, 16 hours and so on, up to more than the supported years.
 * Each schedule is stored with one bucket: the bucket that contains its start, of the shortest length that is not
 * shorter than the schedule. It can therefore only be live in that bucket or the next one, so `filter=live` reads two
 * buckets of each length.
 */
const bucketLengths = Array.from({ length: 12 }, (_none, index) => 60 * 60_000 * 4 ** index);
/** More than the number of buckets of one length in the supported years. */
const bucketsPerLength = 10_000_000;

const firstBucket = (lengthIndex: number) => lengthIndex * bucketsPerLength;

export function timeBucketOf({ startDate, endDate }: Pick<ScheduleRecord, 'startDate' | 'endDate'>): number {
  const length = endDate.getTime() - startDate.getTime();
  const index = bucketLengths.findIndex((longest) => length <= longest);
  return firstBucket(index) + Math.floor(startDate.getTime() / (bucketLengths[index] ?? Number.NaN));
}

/**
 * Returns the conditions for schedules that are live at a time: started and not ended. `null` matches schedules without
 * a bucket, which were inserted manually; it costs nothing if there are none.
 */
export function liveConditions(asOf: Date): object[] {
  const buckets = bucketLengths.flatMap((length, index) => {
    const bucket = firstBucket(index) + Math.floor(asOf.getTime() / length);
    return [bucket - 1, bucket];
  });
  const inBuckets = { timeBucket: { $in: [null, ...buckets] } };
  return [inBuckets, { endDate: { $gt: asOf } }, { startDate: { $lte: asOf } }];
}
