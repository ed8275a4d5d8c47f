import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import { queryTimeLimit } from '../database/reading.js';
import { storedSlot } from './schedule-slot.repository.js';
import { scheduleModel, type ScheduleRecord, withoutSlotIndex } from './schedule.schema.js';

const batch = 500;
const withoutSlot = { slot: null } as unknown as QueryFilter<ScheduleRecord>;

/** Gives to schedules what a later version of this server stores with them. */
@Injectable()
export class ScheduleUpgrade {
  private readonly logger = new Logger('Schedules');

  constructor(@InjectModel(scheduleModel) private readonly model: Model<ScheduleRecord>) {}

  /** Fills what is missing beside the requests; where that fails, the next start goes on. */
  begin(): void {
    this.fillSlots().catch((error: unknown) => {
      this.logger.warn(`Schedules of an earlier version have no slot yet: ${(error as Error).message}`);
    });
  }

  /**
   * Gives their slot to schedules of all organizations that have none. Lists are right without it, and slower; several servers may do it
   * at once. What they answer and when they were changed stays.
   * @returns how many got one here
   */
  async fillSlots(): Promise<number> {
    for (let filled = 0; ;) {
      const found = await this.findWithoutSlot();
      if (found.length === 0) {
        if (filled > 0) this.logger.log(`${filled} schedules of an earlier version were given their slot`);
        return filled;
      }
      const ids = { _id: { $in: found.map(({ _id }) => _id) } };
      const { modifiedCount } = await this.model
        .updateMany(ids, [{ $set: { slot: storedSlot } }], { updatePipeline: true })
        .exec();
      // None where no slot can be computed, as of a record without dates: it would be found for ever.
      if (modifiedCount === 0) return filled;
      filled += modifiedCount;
    }
  }

  /** Some of those without a slot. The index is named, as it begins with the organization and is asked of all. */
  findWithoutSlot(): Promise<Pick<ScheduleRecord, '_id'>[]> {
    const query = this.model.find(withoutSlot, { _id: 1 }).hint(withoutSlotIndex).limit(batch);
    return query.maxTimeMS(queryTimeLimit).lean<Pick<ScheduleRecord, '_id'>[]>().exec();
  }
}
