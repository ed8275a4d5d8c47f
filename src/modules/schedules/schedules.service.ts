import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { Tenant, RecordContext } from '../../access/request-context.js';
import { assertFound, invalidFields, ServiceError, writeConflict } from '../../errors/service-error.js';
import type { ListPage } from '../../http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { assertRevision } from '../../database/record.js';
import { SyncedService } from '../../records/synced.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import { type TeamLookup, TeamsService } from '../teams/teams.service.js';
import {
  CreateSchedule,
  type OwnTeamIds,
  type ListSchedulesQuery,
  type ScheduleResponse,
  toScheduleResponse,
  type UpdateSchedule,
  type UpsertSchedule,
  type WrittenSchedule,
} from './schedule.dto.js';
import {
  asState,
  buildChanges,
  buildRecord,
  changesAsSent,
  dependsOnStored,
  opponentIdOf,
  sameGameKey,
  type RequestTeams,
  teamIdsOf,
  validateCreate,
  validateUpdate,
} from './schedule.rules.js';
import type { Schedule } from './schedule.schema.js';
import { SchedulesRepository } from './schedules.repository.js';

const maxWarnings = 5;

/** How many times an update is attempted while concurrent updates change the same schedule. */
const maxAttempts = 5;

/** Games and practices. `create`, `getByExternalId`, `upsert` and `bulkUpsert` are those of `SyncedService`. */
@Injectable()
export class SchedulesService extends SyncedService<
  Schedule,
  UpsertSchedule,
  CreateSchedule,
  WrittenSchedule,
  TeamLookup
> {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly teams: TeamsService,
    teamRecords: TeamsRepository,
    private readonly clock: Clock,
  ) {
    const types = { createType: CreateSchedule, notFound: 'scheduleNotFound' } as const;
    super({ repository: schedules, clock, toResponse: toScheduleResponse, ...types });
    teamRecords.contents.push(schedules);
  }

  /** Returns a page of the organization's schedules. `live` and `upcoming` refer to the time of the first page. */
  async list(tenant: Tenant, query: ListSchedulesQuery): Promise<ListPage<ScheduleResponse>> {
    const page = new CursorPage(tenant.organization.id, query, 'schedules', this.clock.now());
    const { teamId } = page.filters;
    const team = teamId === undefined ? {} : { teamId: (await this.teams.requireTeam(tenant, teamId)).id };
    const filters = { ...page.filters, ...team, asOf: page.asOf };
    return page.toResponse(await this.schedules.findMatching(tenant, filters, page.start), toScheduleResponse);
  }

  async get(context: RecordContext, id: string): Promise<ScheduleResponse> {
    return this.respond(context, await this.find(context, id));
  }

  private async find(tenant: Tenant, id: string): Promise<Schedule> {
    return (await this.schedules.findById(tenant, id)) ?? this.throwMissing(id);
  }

  /** Looks up the teams of requests and of stored schedules. */
  protected findRelated(
    context: RecordContext,
    inputs: readonly UpsertSchedule[],
    stored: readonly Schedule[],
  ): Promise<TeamLookup> {
    const sentIds = inputs.flatMap(({ teamId, teamTwoId }) => [teamId, teamTwoId]);
    const ownIds = inputs.flatMap(({ teamExternalId, teamTwoExternalId }) => [teamExternalId, teamTwoExternalId]);
    return this.teams.lookUp(context, [...sentIds, ...stored.flatMap(teamIdsOf)], ownIds);
  }

  protected build(sent: CreateSchedule, teamOf: TeamLookup) {
    const input = withTeamIds(sent, teamOf);
    assertNoProblems(validateCreate(input));
    return buildRecord(input, teamsOf(input.teamId, input.teamTwoId, teamOf));
  }

  /** The changes of an upsert or a row, which describes a state: what is computed of it does not depend on what was stored. */
  protected change(row: UpsertSchedule, stored: Schedule, teamOf: TeamLookup) {
    return this.changeAsSent(asState(withTeamIds(row, teamOf)), stored, teamOf);
  }

  private changeAsSent(
    { teamId, ...sent }: Omit<UpsertSchedule, keyof OwnTeamIds>,
    stored: Schedule,
    teamOf: TeamLookup,
  ) {
    const owner = String(stored.teamOneId);
    if (teamId !== undefined && teamOf(teamId).id !== owner) throw new ServiceError('scheduleOfAnotherTeam');
    const teams = teamsOf(owner, opponentIdOf(sent, stored), teamOf);
    const { changes, problems } = buildChanges(sent, stored, teams);
    // The request and the updated schedule can have the same problem.
    assertNoProblems([...new Set([...validateUpdate(sent), ...problems])]);
    return changes;
  }

  /** Warns of games of the same two teams, on either side, at the same time: two lists can have the same game. */
  protected override async findWarnings(context: RecordContext, schedules: readonly Schedule[]) {
    const games = schedules.filter(({ eventType, teamTwoId }) => eventType === 'game' && teamTwoId);
    const byKey = Map.groupBy(await this.schedules.findSimultaneous(context, games), sameGameKey);
    const message = 'Another game of these teams starts at that time';
    const warnings = games.map((game) => {
      const others = byKey.get(sameGameKey(game))?.filter(({ _id }) => !_id.equals(game._id)) ?? [];
      const toWarning = ({ _id }: (typeof others)[number]) =>
        ({ code: 'sameGame', message, scheduleId: String(_id) }) as const;
      return [game, others.slice(0, maxWarnings).map(toWarning)] as const;
    });
    return new Map(warnings.filter(([, { length }]) => length > 0));
  }

  /**
   * Updates the sent fields of a schedule, and the fields computed from them, in one atomic update. Reads the schedule
   * first only if the update depends on it, because the read costs up to a third of the requests per second.
   * @throws ServiceError 40001 if the fields contradict each other or the stored ones; 40301, 40302, 40304, 40402, 40905,
   * 41201; 50302 after five conflicts with concurrent updates
   */
  async update(context: RecordContext, id: string, input: UpdateSchedule): Promise<ScheduleResponse> {
    assertNoProblems(validateUpdate(input));
    const sentTeams = await this.findRelated(context, [input], []);
    const named = withTeamIds(input, sentTeams);
    const { teamId, ...sent } = named;
    const teams = teamsOf(teamId, sent.teamTwoId, sentTeams);
    const teamOneId = teams[0].id;
    if (!dependsOnStored(sent)) {
      const updated = await this.schedules.updateById(context, id, changesAsSent(sent, teams[0]), { teamOneId });
      if (updated !== null) return this.respond(context, updated);
    }
    let stored = await this.findOfTeam(context, teamOneId, id);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const teamOf = sent.teamTwoName === null ? await this.findRelated(context, [named], [stored]) : sentTeams;
      const changes = this.changeAsSent(named, stored, teamOf);
      const expected = { teamOneId, revision: stored.revision };
      const updated = await this.schedules.updateById(context, id, changes, expected);
      if (updated !== null) return this.respond(context, updated);
      // A concurrent update changed it since.
      stored = await this.findOfTeam(context, teamOneId, id);
    }
    throw writeConflict('The schedule is being changed by other requests');
  }

  async remove(context: RecordContext, id: string, teamId: string): Promise<void> {
    const team = await this.teams.requireTeam(context, teamId);
    const removed = await this.schedules.deleteById(context, id, { teamOneId: team.id });
    if (removed === null) await this.findOfTeam(context, team.id, id);
  }

  /** Returns a schedule of the team, with a revision that `If-Match` accepts. */
  private async findOfTeam(context: RecordContext, teamId: string, id: string): Promise<Schedule> {
    const schedule = await this.find(context, id);
    if (String(schedule.teamOneId) !== teamId) throw new ServiceError('scheduleOfAnotherTeam');
    assertRevision(context, schedule);
    return schedule;
  }

  /** @throws ServiceError 40302 for a schedule of another organization, 40402 for an unknown or deleted one */
  async throwMissing(id: string): Promise<never> {
    assertFound(await this.schedules.ownerOf(id), 'scheduleNotFound');
    throw new ServiceError('resourceForbidden');
  }
}

/** Returns a request with the IDs of the teams that it names by the partner's own IDs. */
function withTeamIds<T extends OwnTeamIds>({ teamExternalId, teamTwoExternalId, ...sent }: T, teamOf: TeamLookup) {
  const idOf = (value: string, field: keyof OwnTeamIds) => teamOf(value, field).id;
  return {
    ...sent,
    ...(teamExternalId !== undefined && { teamId: idOf(teamExternalId, 'teamExternalId') }),
    ...(teamTwoExternalId !== undefined && { teamTwoId: idOf(teamTwoExternalId, 'teamTwoExternalId') }),
  };
}

/** Returns the owner and the linked opponent, or throws 40301 if one is not a team of the organization. */
function teamsOf(ownerId = '', opponentId: string | null | undefined, teamOf: TeamLookup): RequestTeams {
  const opponents = typeof opponentId === 'string' ? [teamOf(opponentId, 'teamTwoId')] : [];
  return [teamOf(ownerId), ...opponents];
}

function assertNoProblems(problems: Parameters<typeof invalidFields>[0]): void {
  if (problems.length > 0) throw invalidFields(problems);
}
