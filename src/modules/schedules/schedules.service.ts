import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope, RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidFields, ServiceError } from '../../common/errors/service-error.js';
import type { ListPage } from '../../common/http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { assertRevision } from '../../database/revision.js';
import type { Session } from '../../database/transaction.js';
import { RecordSync } from '../../synchronization/record-sync.js';
import { type TeamLookup, TeamsService } from '../teams/teams.service.js';
import {
  CreateSchedule,
  type ListSchedulesQuery,
  type ScheduleResponse,
  ScheduleRow,
  toScheduleResponse,
  type UpdateSchedule,
  type UpsertSchedule,
} from './schedule.dto.js';
import {
  buildChanges,
  buildRecord,
  dependsOnStored,
  type RequestTeams,
  validateCreate,
  validateUpdate,
} from './schedule.rules.js';
import type { EventType, Schedule } from './schedule.schema.js';
import { SchedulesRepository, type StoredGameTeams } from './schedules.repository.js';

/** How many times an update is attempted while concurrent updates change the same schedule. */
const maxAttempts = 5;

/** The event type and the teams of the organization that play. */
interface GameTeams {
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
   * Returns a page of the organization's schedules. `live` and `upcoming` refer to the time of the first page.
   * @throws ServiceError 40001 for a cursor of another list, 40301 for a team of another organization
   */
  async list(context: RequestContext, query: ListSchedulesQuery): Promise<ListPage<ScheduleResponse>> {
    const page = new CursorPage(context.organization.id, query, 'schedules', this.clock.now());
    const { filter, ...filters } = page.filters;
    const team = filters.teamId === undefined ? undefined : await this.teams.requireTeam(context, filters.teamId);
    const found = await this.schedules.findMatching(
      context,
      {
        ...(filter === 'live' && { liveAsOf: page.asOf }),
        ...(filter === 'upcoming' && { upcomingAsOf: page.asOf }),
        ...filters,
        ...(team !== undefined && { teamId: team.id }),
      },
      page.start,
    );
    return page.toResponse(found, toScheduleResponse);
  }

  /**
   * Returns a schedule.
   * @throws ServiceError 40302 for a schedule of another organization, 40402 for an unknown or deleted one
   */
  async get(scope: OrganizationScope, id: string): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.find(scope, id));
  }

  private async find(scope: OrganizationScope, id: string): Promise<Schedule> {
    return (await this.schedules.findById(scope, id)) ?? this.throwMissing(id);
  }

  /**
   * Returns the event type and teams of a schedule.
   * @throws ServiceError 40302 for a schedule of another organization, 40402 for an unknown or deleted one
   */
  async getGameTeams(scope: OrganizationScope, id: string): Promise<GameTeams> {
    const schedule = await this.schedules.findGameTeams(scope, id);
    return schedule === null ? this.throwMissing(id) : toGameTeams(schedule);
  }

  /**
   * Returns the operations that create schedules, and read and upsert them by external ID. They reject fields that contradict
   * each other or the stored ones (40001), and teams of other organizations (40301).
   */
  records(context: RequestContext): RecordSync<Schedule, UpsertSchedule, CreateSchedule, ScheduleResponse> {
    return new RecordSync(context, {
      repository: this.schedules,
      clock: this.clock,
      rowType: ScheduleRow,
      createType: CreateSchedule,
      toResponse: toScheduleResponse,
      notFound: errorCatalogue.scheduleNotFound,
      loadRules: async (inputs, stored) => {
        const owners = stored.map(({ teamOneId }) => ({ teamId: String(teamOneId) }));
        const teamOf = await this.lookUpTeams(context, [...inputs, ...owners]);
        return {
          create: (input) => {
            assertNoProblems(validateCreate(input));
            return buildRecord(input, teamsOf(input, teamOf));
          },
          change: ({ teamId, ...sent }, stored) => {
            const owner = String(stored.teamOneId);
            if (teamId !== undefined && teamOf(teamId).id !== owner)
              throw new ServiceError(errorCatalogue.scheduleOfAnotherTeam);
            const teams = teamsOf({ ...sent, teamId: owner }, teamOf);
            const { changes, problems } = buildChanges(sent, stored, teams);
            assertNoProblems([...validateUpdate(sent, stored.fieldSizeInYard), ...problems]);
            return changes;
          },
        };
      },
    });
  }

  /**
   * Updates the sent fields of a schedule, and the fields computed from them, in one atomic update. Reads the schedule
   * first only if the update depends on it, because the read costs up to a third of the requests per second.
   * @throws ServiceError 40001 if the fields contradict each other or the stored ones; 40301, 40302, 40304, 40402, 40905,
   * 41201; 50302 after five conflicts with concurrent updates
   */
  async update(context: RequestContext, id: string, input: UpdateSchedule): Promise<ScheduleResponse> {
    assertNoProblems(validateUpdate(input));
    const { teamId, ...sent } = input;
    const teams = teamsOf(input, await this.lookUpTeams(context, [input]));
    const teamOneId = teams[0].id;
    let stored = dependsOnStored(sent) ? await this.findOfTeam(context, teamOneId, id) : undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { changes, problems } = buildChanges(sent, stored, teams);
      assertNoProblems(problems);
      const expected = { teamOneId, ...(stored && { revision: stored.revision ?? null }) };
      const updated = await this.schedules.updateById(context, id, changes, expected);
      if (updated !== null) return toScheduleResponse(updated);
      // Throws if there is no such schedule. Otherwise a concurrent update changed it: retry.
      stored = await this.findOfTeam(context, teamOneId, id);
    }
    throw new ServiceError(errorCatalogue.overloaded, {
      message: 'The schedule is being changed by other requests; try again',
    });
  }

  /**
   * Soft-deletes a schedule.
   * @throws ServiceError 40301, 40302, 40304, 40402, 41201
   */
  async remove(context: RequestContext, id: string, teamId: string): Promise<void> {
    const team = await this.teams.requireTeam(context, teamId);
    const removed = await this.schedules.deleteById(context, id, { teamOneId: team.id });
    if (removed === null) await this.findOfTeam(context, team.id, id);
  }

  /** Returns the organization of a schedule, or null if it is unknown; for admins, who have no organization scope. */
  ownerOf(id: string): Promise<string | null> {
    return this.schedules.ownerOf(id);
  }

  /**
   * Locks a schedule until the transaction ends, so that writers of its statistics run one after another, and returns its
   * teams, or null if it is unknown or deleted.
   */
  async lockForStatistics(scope: OrganizationScope, id: string, session: Session): Promise<GameTeams | null> {
    const schedule = await this.schedules.lockForStatistics(scope, id, this.clock.now(), session);
    return schedule && toGameTeams(schedule);
  }

  /** Looks up the teams that requests name. */
  private lookUpTeams(context: RequestContext, inputs: readonly NamedTeams[]): Promise<TeamLookup> {
    const ids = inputs.flatMap(({ teamId, teamTwoId }) => [teamId, teamTwoId]);
    return this.teams.lookUp(context, ids);
  }

  /** Returns a schedule of the team, with a revision that `If-Match` accepts. */
  private async findOfTeam(context: RequestContext, teamId: string, id: string): Promise<Schedule> {
    const schedule = await this.find(context, id);
    if (String(schedule.teamOneId) !== teamId) throw new ServiceError(errorCatalogue.scheduleOfAnotherTeam);
    assertRevision(context, schedule);
    return schedule;
  }

  private async throwMissing(id: string): Promise<never> {
    const owner = await this.schedules.ownerOf(id);
    if (owner === null) throw new ServiceError(errorCatalogue.scheduleNotFound);
    throw new ServiceError(errorCatalogue.resourceForbidden, {
      message: "The schedule does not belong to the API key's organization",
    });
  }
}

/** The teams that a request names. */
type NamedTeams = Partial<Pick<UpdateSchedule, 'teamId' | 'teamTwoId'>>;

/**
 * Returns the owner and, if it is sent, the linked opponent.
 * @throws ServiceError 40301
 */
function teamsOf({ teamId, teamTwoId }: NamedTeams & { teamId: string }, teamOf: TeamLookup): RequestTeams {
  return typeof teamTwoId === 'string' ? [teamOf(teamId), teamOf(teamTwoId)] : [teamOf(teamId)];
}

function toGameTeams({ eventType, teamOneId, teamTwoId }: StoredGameTeams): GameTeams {
  const opponents = teamTwoId === undefined ? [] : [String(teamTwoId)];
  return { eventType, teamIds: [String(teamOneId), ...opponents] };
}

function assertNoProblems(problems: Parameters<typeof invalidFields>[0]): void {
  if (problems.length > 0) throw invalidFields(problems);
}
