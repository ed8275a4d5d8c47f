import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import { writeTimeLimit } from '../database/operations.js';
import { queryTimeLimit } from '../database/reading.js';
import { storedSlot } from './schedule-slot.repository.js';
import { scheduleModel, type ScheduleRecord, withoutSlotIndex } from './schedule.schema.js';

const batch = 500;
const nextAttempt = 60_000;
const withoutSlot = { slot: null } as unknown as QueryFilter<ScheduleRecord>;

/** Gives to schedules what a later version of this server stores with them. */
@Injectable()
export class ScheduleUpgrade implements OnApplicationShutdown {
  private readonly logger = new Logger('Schedules');
  private next: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(@InjectModel(scheduleModel) private readonly model: Model<ScheduleRecord>) {}

  /** Fills what is missing beside the requests; where that fails, it goes on a minute later. */
  begin(): void {
    this.fillSlots().catch((error: unknown) => {
      if (this.ended) return;
      this.logger.warn(`Schedules of an earlier version have no slot yet: ${(error as Error).message}`);
      this.next = setTimeout(() => this.begin(), nextAttempt).unref();
    });
  }

  onApplicationShutdown(): void {
    this.ended = true;
    clearTimeout(this.next);
  }

  /**
   * Gives their slot to schedules of all organizations that have none. Lists are right without it, and slower; several servers may do it
   * at once. What they answer and when they were changed stays.
   * @returns how many got one here
   */
  async fillSlots(): Promise<number> {
    let before = '';
    for (let filled = 0; ;) {
      const found = await this.findWithoutSlot();
      if (found.length === 0) {
        if (filled > 0) this.logger.log(`${filled} schedules of an earlier version were given their slot`);
        return filled;
      }
      const ids = { _id: { $in: found.map(({ _id }) => _id) } };
      const modified = await this.setSlots(ids, { maxTimeMS: writeTimeLimit });
      // Found again where no slot can be computed, as of a record without dates: it would be found for ever.
      const these = found.map(({ _id }) => String(_id)).join();
      if (modified === 0 && these === before) return filled;
      before = these;
      filled += modified;
    }
  }

  /**
   * Gives the slot of their dates to schedules that have another one, as an earlier version leaves it where it moves a schedule.
   * Reads all schedules: for operators, once the last server of that version is gone.
   * @returns how many had another one
   */
  async mendSlots(): Promise<number> {
    const moved: QueryFilter<ScheduleRecord> = { slot: { $ne: null }, $expr: { $ne: ['$slot', storedSlot] } };
    const modified = await this.setSlots(moved, {});
    if (modified > 0) this.logger.log(`${modified} schedules were given the slot of their dates`);
    return modified;
  }

  /** Gives to schedules the slot of their dates; how many had another one, or none. */
  private async setSlots(which: QueryFilter<ScheduleRecord>, limit: { maxTimeMS?: number }): Promise<number> {
    const slot = [{ $set: { slot: storedSlot } }];
    return (await this.model.updateMany(which, slot, { updatePipeline: true, ...limit }).exec()).modifiedCount;
  }

  /** Some of those without a slot. The index is named, as it begins with the organization and is asked of all. */
  findWithoutSlot(): Promise<Pick<ScheduleRecord, '_id'>[]> {
    const query = this.model.find(withoutSlot, { _id: 1 }).hint(withoutSlotIndex).limit(batch);
    return query.maxTimeMS(queryTimeLimit).lean<Pick<ScheduleRecord, '_id'>[]>().exec();
  }
}
