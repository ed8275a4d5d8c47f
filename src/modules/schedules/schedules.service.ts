import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope, RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidFields, ServiceError } from '../../common/errors/service-error.js';
import type { ListPage } from '../../common/http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { IdempotencyKey } from '../../idempotency/idempotency-key.js';
import { newRecord } from '../../idempotency/idempotent.repository.js';
import { TeamsService } from '../teams/teams.service.js';
import {
  type CreateSchedule,
  type ListSchedulesQuery,
  type ScheduleResponse,
  toScheduleResponse,
  type UpdateSchedule,
} from './schedule.dto.js';
import {
  endOf,
  fieldSizeOf,
  problemsOfCreate,
  problemsOfUpdate,
  problemsWithStored,
  titleOf,
} from './schedule.rules.js';
import type { EventType, Schedule, ScheduleRecord } from './schedule.schema.js';
import { SchedulesRepository, type StoredSides } from './schedules.repository.js';

/** How often a change is tried while others change the same schedule. */
const attempts = 5;

/** Who plays: the teams of the organization on either side. */
export interface GameSides {
  readonly eventType: EventType;
  readonly teamIds: readonly string[];
}

@Injectable()
export class SchedulesService {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly teams: TeamsService,
    private readonly clock: Clock,
  ) {}

  /**
   * A page of the organization's schedules. `live` and `upcoming` are asked of the moment of the first page.
   * @throws ServiceError 40001 for a cursor that is not of this list, 40301 for a team that is not the organization's
   */
  async list(context: RequestContext, query: ListSchedulesQuery): Promise<ListPage<ScheduleResponse>> {
    const { filter, teamId, eventType, startDateFrom, startDateTo } = query;
    const page = new CursorPage(context.organization.id, query, '/schedules', this.clock.now());
    const team = teamId === undefined ? undefined : await this.teams.getOwn(context, teamId);
    const found = await this.schedules.findMatching(
      context,
      {
        ...(filter === 'live' && { liveAt: page.moment }),
        ...(filter === 'upcoming' && { upcomingAt: page.moment }),
        ...(team !== undefined && { teamId: team.id }),
        ...(eventType !== undefined && { eventType }),
        ...(startDateFrom !== undefined && { startDateFrom }),
        ...(startDateTo !== undefined && { startDateTo }),
      },
      page.start,
    );
    return page.toResponse(found, toScheduleResponse);
  }

  /**
   * A schedule of the organization.
   * @throws ServiceError 40302 for another organization's, 40402 for an unknown or deleted one
   */
  async get(scope: OrganizationScope, id: string): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.find(scope, id));
  }

  private async find(scope: OrganizationScope, id: string): Promise<Schedule> {
    return (await this.schedules.findById(scope, id)) ?? this.refuseMissing(id);
  }

  /**
   * Who plays.
   * @throws ServiceError 40302 for another organization's, 40402 for an unknown or deleted one
   */
  async getSides(scope: OrganizationScope, id: string): Promise<GameSides> {
    const schedule = await this.schedules.findSides(scope, id);
    return schedule === null ? this.refuseMissing(id) : sidesOf(schedule);
  }

  /**
   * Makes a schedule of one of the organization's teams.
   * @throws ServiceError 40001 where fields contradict each other, 40301 for a team that is not the organization's
   */
  async create(
    context: RequestContext,
    input: CreateSchedule,
    key: IdempotencyKey | undefined,
  ): Promise<ScheduleResponse> {
    assertNone(problemsOfCreate(input));
    const { teamId, teamTwoId, ...fields } = input;
    const sent = teamTwoId === undefined ? ([teamId] as const) : ([teamId, teamTwoId] as const);
    const [team, opponent] = await this.teams.getAllOwn(context, sent);
    const teamTwoName = input.teamTwoName ?? opponent?.name ?? '';
    const fieldSizeInYard = fieldSizeOf(input);
    const record: ScheduleRecord = {
      ...fields,
      ...(fieldSizeInYard !== undefined && { fieldSizeInYard }),
      teamOneId: toRecordId(team.id),
      ...(opponent !== undefined && { teamTwoId: toRecordId(opponent.id) }),
      teamTwoName,
      eventTitle: titleOf(input.eventType, team.name, teamTwoName),
      endDate: endOf(input),
      ...newRecord(context, this.clock),
    };
    const answer = toScheduleResponse(record);
    await this.schedules.insertOnce(context, record, key, answer);
    return answer;
  }

  /**
   * Changes what was sent of a schedule, in one atomic step.
   * @throws ServiceError 40001 where the fields contradict each other or what is stored; 40301, 40302, 40304, 40402;
   * 50302 where others do not stop changing it
   */
  async update(context: RequestContext, id: string, input: UpdateSchedule): Promise<ScheduleResponse> {
    assertNone(problemsOfUpdate(input));
    const { teamId, ...changes } = input;
    const team = await this.teams.getOwn(context, teamId);
    if (Object.keys(changes).length === 0) return toScheduleResponse(await this.findOwnedBy(context, team.id, id));
    for (let attempt = 0; attempt < attempts; attempt++) {
      const stamped = { ...changes, updatedAt: this.clock.now() };
      const updated = await this.schedules.updateById(context, team.id, id, stamped);
      if (updated !== null) return toScheduleResponse(updated);
      // Where nothing is in the way any more, someone else has changed it since: try again.
      assertNone(problemsWithStored(changes, await this.findOwnedBy(context, team.id, id)));
    }
    throw new ServiceError(errorCatalogue.overloaded, {
      message: 'Others are changing the same schedule; try again',
      retryAfterSeconds: 1,
    });
  }

  /**
   * Deletes a schedule softly.
   * @throws ServiceError 40301, 40302, 40304, 40402
   */
  async remove(context: RequestContext, id: string, teamId: string): Promise<void> {
    const team = await this.teams.getOwn(context, teamId);
    const now = this.clock.now();
    const removed = await this.schedules.updateById(context, team.id, id, { deletedAt: now, updatedAt: now });
    if (removed === null) await this.findOwnedBy(context, team.id, id);
  }

  /** The organization of a schedule, or null where there is no such schedule: for admins, who have none of their own. */
  ownerOf(id: string): Promise<string | null> {
    return this.schedules.ownerOf(id);
  }

  /**
   * What the statistics of a game need to know of it, inside the transaction that writes them; two writers follow
   * each other.
   * @throws ServiceError 40402
   */
  async lockForStatistics(scope: OrganizationScope, id: string, session: Session): Promise<GameSides> {
    const schedule = await this.schedules.lockForStatistics(scope, id, this.clock.now(), session);
    if (schedule === null) throw new ServiceError(errorCatalogue.scheduleNotFound);
    return sidesOf(schedule);
  }

  private async findOwnedBy(context: RequestContext, teamId: string, id: string): Promise<Schedule> {
    const schedule = await this.find(context, id);
    if (String(schedule.teamOneId) !== teamId) throw new ServiceError(errorCatalogue.scheduleOfAnotherTeam);
    return schedule;
  }

  private async refuseMissing(id: string): Promise<never> {
    const owner = await this.schedules.ownerOf(id);
    if (owner === null) throw new ServiceError(errorCatalogue.scheduleNotFound);
    throw new ServiceError(errorCatalogue.resourceForbidden, {
      message: "The schedule does not belong to the API key's organization",
    });
  }
}

function sidesOf({ eventType, teamOneId, teamTwoId }: StoredSides): GameSides {
  return { eventType, teamIds: [teamOneId, teamTwoId].flatMap((team) => (team === undefined ? [] : [String(team)])) };
}

function assertNone(problems: Parameters<typeof invalidFields>[0]): void {
  if (problems.length > 0) throw invalidFields(problems);
}
