import type { ScheduleRecord } from './schedule.schema.js';

/**
 * Time is divided into buckets of 1 hour, 4 hours, 16 hours and so on. A schedule is stored with the bucket in which it
 * starts, among the shortest buckets that are at least as long as it. So the schedules that are live at a moment are in
 * the moment's bucket of one of these lengths or in the bucket before it, although a schedule can take minutes or years.
 * The last length exceeds the supported years.
 */
const bucketLengths = Array.from({ length: 12 }, (_none, index) => 60 * 60_000 * 4 ** index);
/** More than the number of buckets of one length in the supported years. */
const bucketsPerLength = 10_000_000;

const firstBucket = (lengthIndex: number) => lengthIndex * bucketsPerLength;

/** Returns the bucket number of a schedule. */
export function timeBucketOf({ startDate, endDate }: Pick<ScheduleRecord, 'startDate' | 'endDate'>): number {
  const length = endDate.getTime() - startDate.getTime();
  const index = bucketLengths.findIndex((longest) => length <= longest);
  return firstBucket(index) + Math.floor(startDate.getTime() / (bucketLengths[index] ?? Number.NaN));
}

/**
 * Returns the conditions for schedules that are live at a moment: started and not ended. `null` matches schedules without a
 * bucket, which were inserted manually; it costs nothing if there are none.
 */
export function liveConditions(moment: Date): object[] {
  const buckets = bucketLengths.flatMap((length, index) => {
    const bucket = firstBucket(index) + Math.floor(moment.getTime() / length);
    return [bucket - 1, bucket];
  });
  const inBuckets = { timeBucket: { $in: [null, ...buckets] } };
  return [inBuckets, { endDate: { $gt: moment } }, { startDate: { $lte: moment } }];
}
