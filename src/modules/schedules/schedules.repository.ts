import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter, SortOrder } from 'mongoose';
import { Clock } from '../../config/clock.js';
import type { Tenant } from '../../access/request-context.js';
import type { ListQuery } from '../../http/paging.js';
import { fieldNamesOf } from '../../validation/dto.js';
import type { CursorPosition, ListOrder, PageStart, StoredPage } from '../../database/list-queries.js';
import { notDeleted } from '../../database/plugins/soft-delete.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { SyncedRepository } from '../../records/synced.repository.js';
import type { TeamContents } from '../teams/teams.repository.js';
import type { ListSchedulesQuery } from './schedule.dto.js';
import { decidedStatuses, scheduleStatuses, type ScheduleStatus, unusualStatuses } from './game-outcome.schema.js';
import { teamIdsOf } from './schedule.rules.js';
import { Schedule, ScheduleRecord } from './schedule.schema.js';
import { liveConditions } from './time-bucket.js';

const publicFields = fieldNamesOf(Schedule);
const gameTeamFields = [
  '_id',
  'startDate',
  'teamOneId',
  'teamTwoId',
  'eventType',
  'status',
  'statisticsRevision',
] as const;
const resultFields = ['startDate', 'teamOneId', 'teamTwoId', 'teamOneScore', 'teamTwoScore', 'forfeitedBy'] as const;
const namedFields = [
  ...(['_id', 'teamOneId', 'teamTwoId', 'teamTwoName'] as const),
  ...(['season', 'eventType', 'eventTitle', 'startDate', 'endDate', 'revision'] as const),
] as const;
const countedFields = ['_id', 'statisticsWrittenAt', 'statisticsRevision'] as const;
const calendarFields = [
  ...(['_id', 'revision', 'createdAt', 'updatedAt', 'deletedAt', 'startDate', 'endDate', 'eventTitle'] as const),
  ...(['status', 'teamOneScore', 'teamTwoScore', 'timeZone', 'locationName', 'location'] as const),
] as const;
export const maxCalendarGames = 1_000;
/** The games that count for standings and season totals. */
const counting = { eventType: 'game', isScrimmage: false, isTestGame: false } as const;
/** Few enough that the database reads and writes them in some 50 ms. */
const updatedAtOnce = 250;
/** More than an organization plays at a time with the teams of one request. */
const maxSimultaneous = 1_000;
const day = 24 * 60 * 60_000;

/** A game whose statistics count, with what changes with them. */
export type CountedGame = Pick<ScheduleRecord, (typeof countedFields)[number]>;
export type CalendarGame = Pick<ScheduleRecord, (typeof calendarFields)[number]>;

/** The event type of a schedule, and the teams of the organization that play. */
export type GameTeams = Pick<ScheduleRecord, (typeof gameTeamFields)[number]>;

/** The filters of a list, with the time that `live` and `upcoming` refer to, by default now. */
export interface ScheduleFilter extends Omit<ListSchedulesQuery, keyof ListQuery> {
  readonly asOf?: Date;
}

const byStart: ListOrder = { by: 'startDate', direction: 1 };

@Injectable()
export class SchedulesRepository extends SyncedRepository<ScheduleRecord, keyof Schedule> implements TeamContents {
  readonly noun = 'schedules';

  constructor(@InjectModel(ScheduleRecord.name) model: Model<ScheduleRecord>, clock: Clock) {
    super(model, publicFields, clock);
  }

  countOfTeams(tenant: Tenant, teamIds: readonly RecordId[]) {
    const ofTeams = { $in: [...teamIds] };
    const filter = { ...notDeleted, $or: [{ teamOneId: ofTeams }, { teamTwoId: ofTeams }] };
    // At most one row for each of the teams, however many opponents they have.
    const used = { $project: { side: { $setIntersection: [['$teamOneId', '$teamTwoId'], [...teamIds]] } } };
    const stages = [used, { $unwind: '$side' }, { $group: { _id: '$side', count: { $sum: 1 } } }];
    return this.aggregate<{ _id: RecordId; count: number }>(tenant, filter, stages);
  }

  /** Returns the games of these teams that start when one of these does. */
  async findSimultaneous(tenant: Tenant, games: readonly Schedule[]) {
    if (games.length === 0) return [];
    const teams = new Map(games.flatMap(teamIdsOf).map((id) => [id, toRecordId(id)]));
    const starts = new Map(games.map(({ startDate }) => [Number(startDate), startDate]));
    const sides = { teamOneId: { $in: [...teams.values()] } };
    const filter = { ...sides, eventType: 'game' as const, startDate: { $in: [...starts.values()] } };
    const fields = ['_id', 'teamOneId', 'teamTwoId', 'startDate'] as const;
    return this.find(tenant, filter, fields, {}, { limit: maxSimultaneous });
  }

  /** Returns a page of the matching schedules, earliest start first. */
  findMatching(
    tenant: Tenant,
    { asOf = this.clock.now(), ...filters }: ScheduleFilter,
    start: PageStart,
  ): Promise<StoredPage<Schedule>> {
    const query = this.toQuery(filters, asOf);
    // A page by number is as of its request. Requests that share a count get it as of the last of them.
    const list = 'page' in start ? filters : query;
    return this.findPage(tenant, query, publicFields, { ...start, order: byStart, list });
  }

  /**
   * Returns the event type, teams and statistics revision of a schedule of the organization. Majority, as the snapshot of the
   * rows that are read next: otherwise the revision could be newer than the rows.
   */
  findGameTeams(tenant: Tenant, id: string): Promise<GameTeams | null> {
    return this.findOne(tenant, this.toFilter({ _id: id }), gameTeamFields, { readConcern: 'majority' });
  }

  /**
   * Locks a schedule until the transaction ends, so that writers of its statistics run one after another. Returns null if
   * it does not exist.
   */
  lockForStatistics(tenant: Tenant, id: string, now: Date, session: Session): Promise<GameTeams | null> {
    const update = { $set: { statisticsWrittenAt: now }, $inc: { statisticsRevision: 1 } };
    return this.updateOne(tenant, this.toFilter({ _id: id }), update, gameTeamFields, { session });
  }

  /** Counts a change of the statistics of schedules, inside a transaction, so that their feed rows and `ETag` change. */
  async countStatisticsWrite(tenant: Tenant, ids: readonly RecordId[], now: Date, session: Session) {
    const statisticsRevision = { $add: [{ $ifNull: ['$statisticsRevision', 0] }, 1] };
    const write = [{ $set: { statisticsWrittenAt: now, statisticsRevision } }];
    await this.updateMany(tenant, this.toFilter({ _id: { $in: [...ids] } }), write, { session });
  }

  /** Returns the next games of a team by their start, and where to continue. */
  findNext(tenant: Tenant, teamId: RecordId, after?: CursorPosition) {
    const start = after === undefined ? { page: 1 } : { after };
    return this.findPart(tenant, ofTeam(String(teamId)), namedFields, {
      ...start,
      limit: updatedAtOnce,
      order: byStart,
    });
  }

  /** Returns the decided games of a season, except games against guests, scrimmages and test games. */
  findDecided(tenant: Tenant, season: RecordId) {
    const filter = { ...counting, status: { $in: [...decidedStatuses] }, season, teamTwoId: { $exists: true } };
    return this.find(tenant, filter, resultFields, { startDate: 1 });
  }

  /** Returns the games of a season with statistics, except cancelled ones, scrimmages and test games. */
  findCounted(tenant: Tenant, season: string): Promise<CountedGame[]> {
    const counted = { statisticsWrittenAt: { $exists: true }, status: { $ne: 'cancelled' } } as const;
    return this.find(tenant, { ...counting, ...counted, season: toRecordId(season) }, countedFields, {});
  }

  findStatisticsVersion(tenant: Tenant): Promise<string> {
    return this.findVersionBy(tenant, ['statisticsWrittenAt', 'statisticsRevision'], this.clock.now());
  }

  /**
   * Returns a team's schedules from 60 days before to 400 days after a day, and those deleted in the 30 days before it; of each
   * at most the 1,000 that are next before the day, next after it, and deleted last.
   */
  async findForCalendar(tenant: Tenant, teamId: string, today: Date): Promise<CalendarGame[]> {
    const at = (days: number) => new Date(today.getTime() + days * day);
    const find = (filter: QueryFilter<ScheduleRecord>, sort: Record<string, SortOrder>) =>
      this.find(tenant, { ...ofTeam(teamId), ...filter }, calendarFields, sort, { limit: maxCalendarGames });
    const [before, after] = await Promise.all([
      find({ startDate: { $gte: at(-60), $lt: today } }, { startDate: -1, _id: -1 }),
      find({ startDate: { $gte: today, $lt: at(401) } }, { startDate: 1, _id: 1 }),
    ]);
    const deleted = { deletedAt: { $gte: at(-30) }, startDate: { $gte: at(-60), $lt: at(401) } };
    // Last, so that a schedule that is deleted concurrently is found twice rather than not at all.
    return [...before, ...after, ...(await find(deleted, { deletedAt: -1, startDate: -1, _id: -1 }))];
  }

  /** Filters that are not taken out here match the stored field of the same name; without such a field, the query throws. */
  private toQuery(
    { filter, startDateFrom, startDateTo, updatedFrom, teamId, status, ...equal }: Omit<ScheduleFilter, 'asOf'>,
    asOf: Date,
  ): QueryFilter<ScheduleRecord> {
    const conditions: QueryFilter<ScheduleRecord>[] = [];
    if (filter === 'live') conditions.push(...liveConditions(asOf));
    if (filter === 'upcoming') conditions.push({ startDate: { $gt: asOf } });
    if (filter !== undefined) conditions.push(hasStatus(['scheduled']));
    if (status !== undefined) conditions.push(hasStatus(status));
    if (startDateFrom !== undefined) conditions.push({ startDate: { $gte: startDateFrom } });
    if (startDateTo !== undefined) conditions.push({ startDate: { $lt: startDateTo } });
    if (updatedFrom !== undefined) conditions.push({ updatedAt: { $gte: updatedFrom } });
    if (teamId !== undefined) conditions.push(ofTeam(teamId));
    return { ...this.toFilter(equal), ...(conditions.length > 0 && { $and: conditions }) };
  }
}

/** Matches schedules that a team plays in. */
function ofTeam(teamId: string): QueryFilter<ScheduleRecord> {
  const team = toRecordId(teamId);
  return { $or: [{ teamOneId: team }, { teamTwoId: team }] };
}

/** Matches schedules with one of these statuses. Schedules that were stored without one are scheduled. */
function hasStatus(statuses: readonly ScheduleStatus[]): QueryFilter<ScheduleRecord> {
  if (statuses.includes('scheduled'))
    return { status: { $nin: scheduleStatuses.filter((status) => !statuses.includes(status)) } };
  // MongoDB uses a partial index only for a condition that is the same as its own.
  return { $and: [{ status: { $in: unusualStatuses } }, { status: { $in: [...statuses] } }] };
}
