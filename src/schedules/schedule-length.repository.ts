import type { Connection, QueryFilter } from 'mongoose';
import { type ScheduleRecord, scheduleModel } from './schedule.schema.js';

/**
 * What is live began not longer ago than it takes. A schedule may take years, and most take an hour: so each is stored with
 * the class of its length, and of each class only what began within its length is looked at. Each class is four times as
 * long as the one before it; the last is longer than all the years that are kept.
 */
const hour = 60 * 60_000;
const lengths = Array.from({ length: 12 }, (_none, index) => hour * 4 ** index);

/** The class of a schedule's length. */
export function lengthClassOf({ startDate, endDate }: Pick<ScheduleRecord, 'startDate' | 'endDate'>): number {
  const length = endDate.getTime() - startDate.getTime();
  return lengths.findIndex((longest) => length <= longest);
}

/** The same, as the database computes it of what is stored. */
export const storedLengthClass = {
  $switch: {
    branches: lengths.map((longest, index) => ({
      case: { $lte: [{ $subtract: ['$endDate', '$startDate'] }, longest] },
      then: index,
    })),
    default: lengths.length - 1,
  },
};

/** What is live at a moment: begun, and not ended. */
export function liveConditions(moment: Date): QueryFilter<ScheduleRecord>[] {
  const ofClass = lengths.map((longest, lengthClass) => {
    return { lengthClass, startDate: { $gt: new Date(moment.getTime() - longest), $lte: moment } };
  });
  return [{ endDate: { $gt: moment } }, { $or: ofClass }];
}

/** Gives their class to schedules that an earlier version stored; those that have one are not touched. */
export async function fillLengthClasses(connection: Connection): Promise<void> {
  const { collection } = connection.model(scheduleModel);
  await collection.updateMany({ lengthClass: { $exists: false } }, [{ $set: { lengthClass: storedLengthClass } }]);
}
