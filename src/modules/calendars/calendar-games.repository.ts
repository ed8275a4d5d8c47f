import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import { toRecordId } from '../../database/record.js';
import { scheduleModel, type ScheduleRecord } from '../schedules/schedule.schema.js';
import { calendarFields, type CalendarGame } from './calendar.rules.js';

const day = 24 * 60 * 60_000;

/** The schedules that calendars show. */
@Injectable()
export class CalendarGamesRepository extends OrganizationRepository<ScheduleRecord> {
  constructor(@InjectModel(scheduleModel) model: Model<ScheduleRecord>) {
    super(model);
  }

  /** Returns the schedules of a team from 60 days before to 400 days after a time, and those deleted in the 30 days before it. */
  async findOfTeam(scope: OrganizationScope, teamId: string, now: Date): Promise<CalendarGame[]> {
    const at = (days: number) => new Date(now.getTime() + days * day);
    const team = toRecordId(teamId);
    const sides = { $or: [{ teamOneId: team }, { teamTwoId: team }] };
    const filter = { ...sides, startDate: { $gte: at(-60), $lt: at(400) } };
    const find = (deletedAt: null | { $gte: Date }) =>
      this.find(scope, { ...filter, deletedAt }, calendarFields, { startDate: 1, _id: 1 });
    // In this order, so that a schedule that is deleted concurrently is found twice rather than not at all.
    return [...(await find(null)), ...(await find({ $gte: at(-30) }))];
  }
}
