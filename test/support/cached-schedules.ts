import { getModelToken } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../src/config/clock.js';
import { ChangeStreamService } from '../../src/database/change-stream.service.js';
import { scheduleModel, type ScheduleRecord } from '../../src/modules/schedules/schedule.schema.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import type { TestApplication } from './application.js';

/**
 * A schedules repository with its own count cache, like another replica, and a change stream that the test controls.
 */
export function cachedSchedules(application: TestApplication, stream = { isCurrent: true }): SchedulesRepository {
  const clock = application.get(Clock);
  const changes = Object.assign(Object.create(ChangeStreamService.prototype) as ChangeStreamService, {
    isCurrent: () => stream.isCurrent,
    subscribe: () => undefined,
  });
  const model = application.get<Model<ScheduleRecord>>(getModelToken(scheduleModel));
  return new SchedulesRepository(model, clock, changes);
}
