import type { FieldChanges } from '../../database/record.js';
import { maximumInstant } from '../../common/validation/instant.js';
import type { ScheduleRecord } from './schedule.schema.js';
import { storedTimeBucket, timeBucketOf } from './time-bucket.js';

/**
 * A change to a schedule, applied as one atomic update. Rules that depend on stored fields are part of the update's filter
 * and expressions, so that two concurrent changes cannot break them together.
 */
export type ScheduleChanges = FieldChanges<ScheduleRecord>;

/** A condition of a filter, or a stage of an update pipeline. */
type MongoDocument = Readonly<Record<string, unknown>>;

/** Returns the filter that the stored schedule must match for the changed one to be valid. */
export function toConditions(changes: ScheduleChanges): MongoDocument {
  const conditions = [...dateConditions(changes), ...opponentConditions(changes)];
  return conditions.length > 0 ? { $and: conditions } : {};
}

/** An end sent alone must be after the stored start, and a shifted end must stay in the supported years. */
function dateConditions({ startDate, endDate }: ScheduleChanges): MongoDocument[] {
  if (endDate instanceof Date && startDate === undefined) return [{ startDate: { $lt: endDate } }];
  const end = shiftEnd({ startDate, endDate });
  return end === undefined ? [] : [{ $expr: { $lt: [end, { $literal: maximumInstant }] } }];
}

/**
 * Returns the expression of the end if only the start changes: unchanged if it is after the new start, otherwise moved by
 * the same amount.
 */
function shiftEnd({ startDate, endDate }: ScheduleChanges): Record<string, unknown> | undefined {
  if (!(startDate instanceof Date) || endDate !== undefined) return undefined;
  const start = { $literal: startDate };
  const moved = { $add: ['$endDate', { $subtract: [start, '$startDate'] }] };
  return { $cond: [{ $gt: ['$endDate', start] }, '$endDate', moved] };
}

/** A change that can make the schedule a regular game requires an opponent that is another team. */
function opponentConditions({ eventType, isScrimmage }: ScheduleChanges): MongoDocument[] {
  if (eventType !== 'game' && isScrimmage !== false) return [];
  if (eventType === 'practice' || isScrimmage === true) return [];
  const alternatives: MongoDocument[] = [{ $expr: { $ne: ['$teamTwoId', '$teamOneId'] } }];
  if (eventType === undefined) alternatives.push({ eventType: 'practice' });
  if (isScrimmage === undefined) alternatives.push({ isScrimmage: true });
  return [{ $or: alternatives }];
}

/**
 * Returns the change as an update pipeline. Values are literals, so that a string that starts with `$` is not a path.
 */
export function toPipeline(changes: ScheduleChanges): MongoDocument[] {
  const sent = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set: Record<string, unknown> = Object.fromEntries(
    sent.filter(([, value]) => value !== null).map(([field, value]) => [field, { $literal: value }]),
  );
  const cleared = sent.filter(([, value]) => value === null).map(([field]) => field);
  const end = shiftEnd(changes);
  if (end !== undefined) set['endDate'] = end;
  return [{ $set: set }, ...timeBucketStages(changes), ...(cleared.length > 0 ? [{ $unset: cleared }] : [])];
}

/** Returns the stage that updates the time bucket, computed here if the change has both dates. */
function timeBucketStages({ startDate, endDate }: ScheduleChanges): MongoDocument[] {
  if (!(startDate instanceof Date) && !(endDate instanceof Date)) return [];
  const isKnown = startDate instanceof Date && endDate instanceof Date;
  const timeBucket = isKnown ? { $literal: timeBucketOf({ startDate, endDate }) } : storedTimeBucket;
  return [{ $set: { timeBucket } }];
}
