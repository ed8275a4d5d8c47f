import type { FieldChanges } from '../../database/record.js';
import { maximumInstant } from '../../common/validation/instant.js';
import type { ScheduleRecord } from './schedule.schema.js';
import { storedTimeBucket, timeBucketOf } from './time-bucket.js';

/**
 * A change of a schedule as one atomic update. What it must not break together with the stored fields stands in the
 * update's own filter and expressions, so that two changes at once cannot break it between them.
 */
export type ScheduleChanges = FieldChanges<ScheduleRecord>;

/** A condition of a filter, or a stage of an update pipeline. */
type MongoDocument = Readonly<Record<string, unknown>>;

/** What the stored schedule must be like for a change to leave it right. */
export function conditionsOf(changes: ScheduleChanges): MongoDocument {
  const conditions = [...dateConditions(changes), ...opponentConditions(changes)];
  return conditions.length > 0 ? { $and: conditions } : {};
}

/** An end that is moved alone must lie after the stored beginning; one that moves along must stay in the years kept. */
function dateConditions({ startDate, endDate }: ScheduleChanges): MongoDocument[] {
  if (endDate instanceof Date && startDate === undefined) return [{ startDate: { $lt: endDate } }];
  const end = movedEnd({ startDate, endDate });
  return end === undefined ? [] : [{ $expr: { $lt: [end, { $literal: maximumInstant }] } }];
}

/**
 * Where the end goes when the beginning is moved alone, undefined where it is not: it stays while it lies after the
 * new beginning, and else moves along.
 */
function movedEnd({ startDate, endDate }: ScheduleChanges): Record<string, unknown> | undefined {
  if (!(startDate instanceof Date) || endDate !== undefined) return undefined;
  const start = { $literal: startDate };
  const moved = { $add: ['$endDate', { $subtract: [start, '$startDate'] }] };
  return { $cond: [{ $gt: ['$endDate', start] }, '$endDate', moved] };
}

/** A change that may turn the schedule into a game in earnest needs an opponent that is another team. */
function opponentConditions({ eventType, isScrimmage }: ScheduleChanges): MongoDocument[] {
  if (eventType !== 'game' && isScrimmage !== false) return [];
  if (eventType === 'practice' || isScrimmage === true) return [];
  const excuses: MongoDocument[] = [{ $expr: { $ne: ['$teamTwoId', '$teamOneId'] } }];
  if (eventType === undefined) excuses.push({ eventType: 'practice' });
  if (isScrimmage === undefined) excuses.push({ isScrimmage: true });
  return [{ $or: excuses }];
}

/** The change as an update pipeline. Values are literals: a text that begins with `$` is no path. */
export function pipelineOf(changes: ScheduleChanges): MongoDocument[] {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set: Record<string, unknown> = Object.fromEntries(
    named.filter(([, value]) => value !== null).map(([field, value]) => [field, { $literal: value }]),
  );
  const cleared = named.filter(([, value]) => value === null).map(([field]) => field);
  const end = movedEnd(changes);
  if (end !== undefined) set['endDate'] = end;
  return [{ $set: set }, ...timeBucketStages(changes), ...(cleared.length > 0 ? [{ $unset: cleared }] : [])];
}

/** Returns the stage that moves a schedule to its new bucket: computed here if the change has both dates. */
function timeBucketStages({ startDate, endDate }: ScheduleChanges): MongoDocument[] {
  if (!(startDate instanceof Date) && !(endDate instanceof Date)) return [];
  const isKnown = startDate instanceof Date && endDate instanceof Date;
  const timeBucket = isKnown ? { $literal: timeBucketOf({ startDate, endDate }) } : storedTimeBucket;
  return [{ $set: { timeBucket } }];
}
