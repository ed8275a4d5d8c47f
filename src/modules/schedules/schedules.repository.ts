import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import { CountCache, type CountQuery } from '../../database/count-cache.js';
import { notDeleted } from '../../database/organization.repository.js';
import type { ListOrder, PageStart, StoredPage } from '../../database/list-queries.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { IdempotencyKey } from '../../idempotency/idempotency-key.js';
import { IdempotentRepository } from '../../idempotency/idempotent.repository.js';
import { type EventType, Schedule, scheduleModel, type ScheduleRecord } from './schedule.schema.js';
import { conditionsOf, pipelineOf, type ScheduleChanges } from './schedule.update.js';
import { liveConditions, timeBucketOf } from './time-bucket.js';

const startTime = ['startDate'] as const;
const byStartOnly = { startDate: 1 } as const;
const updateTime = ['updatedAt'] as const;
const byLastUpdate = { updatedAt: -1 } as const;

const publicFields = fieldNamesOf(Schedule);
const sides = ['teamOneId', 'teamTwoId', 'eventType'] as const satisfies (keyof ScheduleRecord)[];

export type StoredSides = Pick<ScheduleRecord, (typeof sides)[number]>;

/** Which of an organization's schedules are meant. `live` and `upcoming` are asked of one moment. */
export interface ScheduleFilter {
  readonly liveAt?: Date;
  readonly upcomingAt?: Date;
  /** Begun at this moment, ended or not. */
  readonly begunAt?: Date;
  readonly teamId?: string;
  readonly eventType?: EventType;
  readonly startDateFrom?: Date;
  readonly startDateTo?: Date;
}

const byStart: ListOrder = { by: 'startDate', direction: 1 };

@Injectable()
export class SchedulesRepository extends IdempotentRepository<ScheduleRecord> {
  private readonly totals: CountCache;

  constructor(@InjectModel(scheduleModel) model: Model<ScheduleRecord>, clock: Clock, changes: ChangeStreamService) {
    super(model, clock);
    this.totals = new CountCache(changes, model.collection.name, clock);
  }

  /** Stores a schedule with its time bucket, as `IdempotentRepository.insertOnce`. */
  override insertOnce(
    scope: OrganizationScope,
    record: ScheduleRecord,
    key: IdempotencyKey | undefined,
    answer: object,
  ): Promise<void> {
    return super.insertOnce(scope, { ...record, timeBucket: timeBucketOf(record) }, key, answer);
  }

  /** A page of the organization's schedules that match, by their beginning. */
  findMatching(scope: OrganizationScope, filter: ScheduleFilter, start: PageStart): Promise<StoredPage<Schedule>> {
    const page = { ...start, order: byStart };
    // Few schedules are live at once, so that their total is not worth caching.
    if (filter.liveAt !== undefined) return this.findPage(scope, queryOf(filter), publicFields, page);
    const total = () => this.totals.total(this.countQueryOf(scope, filter));
    return this.findPage(scope, queryOf(filter), publicFields, { ...page, total });
  }

  private countQueryOf(scope: OrganizationScope, { upcomingAt, ...lasting }: ScheduleFilter): CountQuery {
    return {
      list: JSON.stringify([scope.organization.id, upcomingAt !== undefined, lasting]),
      ...(upcomingAt && {
        upcoming: {
          now: upcomingAt,
          countStartedBetween: (after, until) =>
            this.count(scope, queryOf({ ...lasting, upcomingAt: after, begunAt: until })),
          findNextStart: async (after) =>
            (await this.findFirst(scope, queryOf({ ...lasting, upcomingAt: after }), startTime, byStartOnly))
              ?.startDate,
        },
      }),
      // A deleted one is changed, too.
      findLastUpdate: async () => (await this.findFirst(scope, {}, updateTime, byLastUpdate))?.updatedAt,
      count: () => this.count(scope, queryOf({ ...lasting, ...(upcomingAt && { upcomingAt }) })),
    };
  }

  /** A schedule of the organization. */
  findById(scope: OrganizationScope, id: string): Promise<Schedule | null> {
    return this.findOne(scope, { _id: toRecordId(id), ...notDeleted }, publicFields);
  }

  /** Who plays in a schedule of the organization. */
  findSides(scope: OrganizationScope, id: string): Promise<StoredSides | null> {
    return this.findOne(scope, { _id: toRecordId(id), ...notDeleted }, sides);
  }

  /** Changes a schedule of a team; null where the team has none such, or the change would break a rule with what is stored. */
  updateById(scope: OrganizationScope, teamId: string, id: string, changes: ScheduleChanges): Promise<Schedule | null> {
    const filter = { ...ofTeam(teamId, id), ...conditionsOf(changes) };
    return this.updateOne(scope, filter, pipelineOf(changes), publicFields);
  }

  /**
   * Reads a schedule in a transaction and holds it until that ends, so that writers of its statistics follow each
   * other; null where there is none such.
   */
  lockForStatistics(scope: OrganizationScope, id: string, now: Date, session: Session): Promise<StoredSides | null> {
    const update = { $set: { statisticsWrittenAt: now } };
    return this.updateOne(scope, { _id: toRecordId(id), ...notDeleted }, update, sides, session);
  }
}

function ofTeam(teamId: string, id: string): QueryFilter<ScheduleRecord> {
  return { _id: toRecordId(id), teamOneId: toRecordId(teamId), ...notDeleted };
}

function queryOf(filter: ScheduleFilter): QueryFilter<ScheduleRecord> {
  const conditions: QueryFilter<ScheduleRecord>[] = [];
  if (filter.liveAt !== undefined) conditions.push(...liveConditions(filter.liveAt));
  if (filter.upcomingAt !== undefined) conditions.push({ startDate: { $gt: filter.upcomingAt } });
  if (filter.begunAt !== undefined) conditions.push({ startDate: { $lte: filter.begunAt } });
  if (filter.startDateFrom !== undefined) conditions.push({ startDate: { $gte: filter.startDateFrom } });
  if (filter.startDateTo !== undefined) conditions.push({ startDate: { $lt: filter.startDateTo } });
  if (filter.eventType !== undefined) conditions.push({ eventType: filter.eventType });
  if (filter.teamId !== undefined) {
    const team = toRecordId(filter.teamId);
    conditions.push({ $or: [{ teamOneId: team }, { teamTwoId: team }] });
  }
  return { ...notDeleted, ...(conditions.length > 0 && { $and: conditions }) };
}
