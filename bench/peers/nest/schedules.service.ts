import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter } from 'mongoose';
import { compareRows, derivedOf } from '../derived.js';
import { ApiError, assertConsistent, assertOpponent, newSchedule, noSuchSchedule, teamForbidden } from '../rules.js';
import { wrong } from '../rules.js';
import type { Caller } from './auth.module.js';
import { findPage, shownFields } from './records.js';
import type { CreateScheduleDto, ScheduleQuery, UpdateScheduleDto } from './schedule.dto.js';
import { type Figures, PlayerStatistic, Schedule } from './schedule.schema.js';
import { TeamsService } from './teams.module.js';

const withTeamId = <T extends Pick<Schedule, 'teamOneId'>>(schedule: T) => ({
  ...schedule,
  teamId: schedule.teamOneId,
});

@Injectable()
export class SchedulesService {
  constructor(
    @InjectModel(Schedule.name) private readonly schedules: Model<Schedule>,
    @InjectModel(PlayerStatistic.name) private readonly rows: Model<PlayerStatistic>,
    private readonly teams: TeamsService,
  ) {}

  async list({ organization }: Caller, { filter, ...paging }: ScheduleQuery) {
    const now = new Date();
    const where: QueryFilter<Schedule> = {
      organizationId: organization._id,
      deletedAt: null,
      ...(filter && { status: 'scheduled' }),
      ...(filter === 'upcoming' && { startDate: { $gt: now } }),
      ...(filter === 'live' && { startDate: { $lte: now }, endDate: { $gt: now } }),
    };
    const { data, total } = await findPage(this.schedules, where, { startDate: 1, _id: 1 }, paging);
    return { data: data.map(withTeamId), total };
  }

  async get({ organization }: Caller, id: string) {
    const where = { _id: id, organizationId: organization._id, deletedAt: null };
    const schedule = await this.schedules.findOne(where, shownFields).lean();
    if (schedule) return withTeamId(schedule);
    if (!(await this.schedules.exists({ _id: id, deletedAt: null }))) throw noSuchSchedule();
    throw new ApiError(40302, "The schedule does not belong to the API key's organization");
  }

  /** Returns the players' statistics of a schedule; reads both at once. */
  async statistics(caller: Caller, scheduleId: string) {
    const where = { organizationId: caller.organization._id, scheduleId };
    const [rows] = await Promise.all([
      this.rows.find(where, '-_id -organizationId -createdBy -createdAt').lean(),
      this.get(caller, scheduleId),
    ]);
    const data = rows.map((row) => ({ ...row, derived: derivedOf(row.category, row.stats) as Figures }));
    return { data: data.sort(compareRows), total: data.length };
  }

  async create(caller: Caller, body: CreateScheduleDto) {
    assertOpponent(body);
    assertConsistent(body);
    const names = await this.teams.names(caller, body.teamTwoId ? [body.teamId, body.teamTwoId] : [body.teamId]);
    const { teamId, ...fields } = newSchedule(body, names) as Partial<Schedule> & { teamId: string };
    const owner = { organizationId: caller.organization._id, createdBy: caller.creator._id };
    const created = await this.schedules.create({ ...fields, ...owner, teamOneId: teamId });
    return withTeamId(created.toJSON());
  }

  /** Rejects a start moved beyond the end. The update filter has organization and team; the reason is read only if it matched nothing. */
  async update(caller: Caller, id: string, body: UpdateScheduleDto) {
    assertConsistent(body);
    const { teamId, ...changes } = body;
    const { startDate, endDate } = changes;
    if (changes.enableYardage && !changes.fieldSizeInYard) throw wrong('fieldSizeInYard is required');
    const where = {
      _id: id,
      organizationId: caller.organization._id,
      teamOneId: teamId,
      deletedAt: null,
      ...(startDate && !endDate && { endDate: { $gt: startDate } }),
      ...(endDate && !startDate && { startDate: { $lt: endDate } }),
    };
    const update = { $set: changes, $inc: { revision: 1 } };
    const options = { returnDocument: 'after', projection: shownFields } as const;
    const updated = await this.schedules.findOneAndUpdate(where, update, options).lean();
    if (updated) return withTeamId(updated);
    if ((await this.teams.names(caller, [teamId])).size === 0) throw teamForbidden();
    const { teamOneId } = await this.get(caller, id);
    if (String(teamOneId) !== teamId) throw new ApiError(40304, 'The schedule belongs to another team');
    throw wrong('endDate must be after startDate');
  }
}
