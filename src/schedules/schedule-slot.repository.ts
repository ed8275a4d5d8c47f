import type { QueryFilter } from 'mongoose';
import type { ScheduleRecord } from './schedule.schema.js';

/**
 * What is live began no longer ago than it takes, but a schedule may take minutes or years. So time is cut into slots of an hour,
 * of four hours, of sixteen and so on, and each schedule stands in the slot in which it begins, of the shortest that are as long
 * as it is. Whatever is live at a moment then stands in the moment's slot of one of these lengths, or in the one before it. The
 * last length is longer than all the years that are kept.
 */
const slotLengths = Array.from({ length: 12 }, (_none, index) => 60 * 60_000 * 4 ** index);
/** More than there are slots of one length in the years that are kept. */
const slotsOfALength = 10_000_000;

const firstSlot = (lengthIndex: number) => lengthIndex * slotsOfALength;

/** The slot of a schedule, as a number. */
export function slotOf({ startDate, endDate }: Pick<ScheduleRecord, 'startDate' | 'endDate'>): number {
  const length = endDate.getTime() - startDate.getTime();
  const index = slotLengths.findIndex((longest) => length <= longest);
  return firstSlot(index) + Math.floor(startDate.getTime() / (slotLengths[index] ?? Number.NaN));
}

/** The same of what is stored, as the database computes it. */
export const storedSlot = {
  $let: {
    vars: { length: { $subtract: ['$endDate', '$startDate'] } },
    in: {
      $let: {
        // So many lengths are shorter than it is.
        vars: { index: { $size: { $filter: { input: slotLengths, cond: { $lt: ['$$this', '$$length'] } } } } },
        in: {
          $add: [
            { $multiply: ['$$index', slotsOfALength] },
            { $floor: { $divide: [{ $toLong: '$startDate' }, { $arrayElemAt: [slotLengths, '$$index'] }] } },
          ],
        },
      },
    },
  },
};

/**
 * Matches schedules that are live at a moment: started, and not ended. `null` matches schedules without a slot, which somebody wrote
 * into the database by hand; with none of them, it examines no further key and no further document.
 */
export function liveConditions(moment: Date): QueryFilter<ScheduleRecord>[] {
  const slots = slotLengths.flatMap((length, index) => {
    const slot = firstSlot(index) + Math.floor(moment.getTime() / length);
    return [slot - 1, slot];
  });
  const inSlots = { slot: { $in: [null, ...slots] } } as QueryFilter<ScheduleRecord>;
  return [inSlots, { endDate: { $gt: moment } }, { startDate: { $lte: moment } }];
}
