import { getModelToken } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../src/common/clock.js';
import { CountCache } from '../../src/database/count-cache.js';
import { FollowedChanges } from '../../src/database/followed-changes.js';
import { scheduleModel, type ScheduleRecord } from '../../src/schedules/schedule.schema.js';
import { SchedulesRepository } from '../../src/schedules/schedules.repository.js';
import type { TestApplication } from './application.js';

/** A schedules repository with a count cache of its own, as of another replica, whose change stream is as current as a test wants. */
export function cachedSchedules(application: TestApplication, stream = { isCurrent: true }): SchedulesRepository {
  const clock = application.get(Clock);
  const cache = new CountCache(clock, () => stream.isCurrent);
  const changes = Object.assign(Object.create(FollowedChanges.prototype) as FollowedChanges, {
    countCacheOf: () => cache,
  });
  const model = application.get<Model<ScheduleRecord>>(getModelToken(scheduleModel));
  return new SchedulesRepository(model, clock, changes);
}
