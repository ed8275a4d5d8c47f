import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../config/clock.js';
import type { Actor, Tenant, RecordContext, RequestContext } from '../../access/request-context.js';
import {
  assertFound,
  type FieldProblem,
  invalidField,
  invalidFields,
  ServiceError,
} from '../../errors/service-error.js';
import { adminIdOf, assertRevision, newRecordId, type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { PlayersRepository } from '../players/players.repository.js';
import { type GameTeams, SchedulesRepository } from '../schedules/schedules.repository.js';
import { teamIdsOf } from '../schedules/schedule.rules.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { TeamsService } from '../teams/teams.service.js';
import {
  type PlayerStatisticsQuery,
  type PlayerStatisticsResponse,
  type StatisticsSideQuery,
  toPlayerStatisticsResponse,
} from './player-statistics.dto.js';
import {
  type PlayerSnapshot,
  PlayerStatisticsRepository,
  type StoredStatistics,
} from './player-statistics.repository.js';
import type { PlayerStatisticsRecord } from './player-statistics.schema.js';
import { type ParsedRow, parseRows } from './rules/parse-rows.js';
import { SideFinder } from './rules/sides.rules.js';

/** The new rows of a game. */
interface Replacement {
  readonly rows: readonly ParsedRow[];
  /** The side whose rows are replaced; both sides if omitted. */
  readonly teamId?: string | undefined;
}

@Injectable()
export class PlayerStatisticsService {
  constructor(
    private readonly statistics: PlayerStatisticsRepository,
    private readonly schedules: SchedulesService,
    private readonly games: SchedulesRepository,
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  async get(context: RecordContext, scheduleId: string, query: PlayerStatisticsQuery) {
    const teamId = await this.findSide(context, query);
    // Before the rows: a revision that is newer than the rows would let a scorer overwrite what it has not read.
    const game = await this.games.findGameTeams(context, scheduleId);
    if (game === null) return this.schedules.throwMissing(scheduleId);
    assertSide(game, teamId);
    const filters = { categories: query.categories, teamId };
    const records = await this.statistics.findBySchedule(context, scheduleId, filters);
    context.onRevision?.(revisionOf(game));
    return this.respond(context, records);
  }

  /** Replaces the statistics of a game of the key's organization, or those of one side, in one transaction. */
  async write(context: RequestContext, scheduleId: string, query: StatisticsSideQuery, sent: unknown) {
    const rows = parseRows(sent);
    const teamId = await this.findSide(context, query);
    return this.replaceRows(context, context, scheduleId, { rows, teamId });
  }

  /**
   * Replaces all statistics of a game in one transaction. The rows are parsed only after the access check, because they
   * can be 1 MB.
   */
  async replace(actor: Actor, scheduleId: string, sent: unknown): Promise<PlayerStatisticsResponse> {
    const tenant = await this.getTenant(actor, scheduleId);
    return this.replaceRows(actor, tenant, scheduleId, { rows: parseRows(sent) });
  }

  private async getTenant(actor: Actor, scheduleId: string): Promise<Tenant> {
    const owner = assertFound(await this.games.ownerOf(scheduleId), 'scheduleNotFound');
    if (!('system' in actor) && actor.user.role !== 'superAdmin' && actor.user.organizationId !== owner) {
      throw new ServiceError('roleForbidden', { message: 'The schedule belongs to another organization' });
    }
    return { ...actor, organization: { id: owner } };
  }

  /** Returns the ID of the team to which a request is limited, if any. */
  private async findSide(context: RecordContext, { teamId }: StatisticsSideQuery): Promise<string | undefined> {
    return teamId === undefined ? undefined : (await this.teams.requireTeam(context, teamId)).id;
  }

  private async replaceRows(
    actor: Actor | RequestContext,
    tenant: Tenant,
    scheduleId: string,
    replacement: Replacement,
  ): Promise<PlayerStatisticsResponse> {
    const event = {
      action: 'replacePlayerStatistics',
      id: scheduleId,
      organizationId: tenant.organization.id,
      changes: { rows: replacement.rows.length, ...(replacement.teamId && { teamId: replacement.teamId }) },
    } as const;
    const createdBy = 'apiKey' in actor ? toRecordId(actor.actingUser.id) : adminIdOf(actor);
    const { records, revision } = await this.audit.recordWith(actor, event, (session) =>
      this.storeRows(tenant, scheduleId, replacement, createdBy, session),
    );
    if ('apiKey' in actor) actor.onRevision?.(revision);
    return this.respond(tenant, records);
  }

  private async respond(tenant: Tenant, records: readonly StoredStatistics[]) {
    const [playerIds, teamIds] = [records.map(({ playerId }) => playerId), records.map(({ teamId }) => teamId)];
    const players = await this.players.findExternalIds(tenant, playerIds);
    const named = [...players, ...(await this.teams.findExternalIds(tenant, teamIds))];
    const externalIds = new Map(named.map(({ _id, externalId }) => [String(_id), externalId]));
    return toPlayerStatisticsResponse(records, externalIds);
  }

  private async storeRows(
    tenant: Tenant,
    scheduleId: string,
    { rows, teamId }: Replacement,
    createdBy: RecordId | undefined,
    session: Session,
  ) {
    const game = await this.games.lockForStatistics(tenant, scheduleId, this.clock.now(), session);
    if (game === null) return this.schedules.throwMissing(scheduleId);
    // The lock has counted this change already.
    assertRevision(tenant, { revision: revisionOf(game) - 1 });
    assertSide(game, teamId);
    if (game.eventType === 'practice' || game.status === 'cancelled')
      throw invalidField('scheduleId', 'scheduleId must be a game: a practice or a cancelled game has no statistics');
    const players = await this.findPlayers(tenant, game, teamId, rows, session);
    const now = this.clock.now();
    const common = {
      organizationId: toRecordId(tenant.organization.id),
      scheduleId: toRecordId(scheduleId),
      createdAt: now,
      updatedAt: now,
      ...(createdBy && { createdBy }),
    };
    const records = rows.flatMap(({ category, stats }, index): PlayerStatisticsRecord[] => {
      const player = players[index];
      return player === undefined ? [] : [{ ...player, ...common, _id: newRecordId(), category, stats }];
    });
    await this.statistics.replaceBySchedule(tenant, scheduleId, teamId, records, session);
    return { records, revision: revisionOf(game) };
  }

  /**
   * Returns the player of each row: as in the stored rows of the game, otherwise as at its start. Locks those who are not in
   * the stored rows, so that an erasure runs before or after.
   * @param teamId the side to which the request is limited, if any
   * @throws ServiceError 40001 for rows whose player is unknown, or whose side is undecided or not the requested one
   */
  private async findPlayers(
    tenant: Tenant,
    schedule: GameTeams,
    teamId: string | undefined,
    rows: readonly ParsedRow[],
    session: Session,
  ): Promise<PlayerSnapshot[]> {
    const teamIds = teamIdsOf(schedule);
    const stored = await this.statistics.findPlayersBySchedule(tenant, String(schedule._id), session);
    const teamOf = await this.teams.lookUp(tenant, teamIds);
    const sides = new Map(teamIds.map((id) => [id, teamOf(id)]));
    const isStored = new Set(stored.map(({ playerId }) => String(playerId)));
    // Of the others, the stored rows say enough.
    const unknown = rows.filter(
      ({ player, side }) => player.isOwn || side !== undefined || !isStored.has(player.value),
    );
    const valuesOf = (isOwn: boolean) => [
      ...new Set(unknown.filter(({ player }) => player.isOwn === isOwn).map(({ player }) => player.value)),
    ];
    const named = await this.players.findNamed(tenant, valuesOf(false), valuesOf(true), session);
    const finder = new SideFinder({ start: schedule.startDate, sides, stored, teamId }, named);
    const problems: FieldProblem[] = [];
    const snapshots = rows.flatMap((row, index) => {
      const reject = (name: string, problem: string) => {
        const field = `rows[${index}].${name}`;
        problems.push({ field, message: `${field} ${problem}` });
      };
      return finder.find(row, reject) ?? [];
    });
    if (problems.length > 0) throw invalidFields(problems);
    const added = snapshots.map(({ playerId }) => playerId).filter((id) => !isStored.has(String(id)));
    if (added.length > 0) await this.players.lockForStatistics(tenant, added, session);
    return snapshots;
  }
}

/** Returns the revision of the statistics: 1 before the first change. */
function revisionOf({ statisticsRevision = 0 }: GameTeams): number {
  return statisticsRevision + 1;
}

function assertSide(game: GameTeams, teamId: string | undefined): void {
  if (teamId !== undefined && !teamIdsOf(game).includes(teamId))
    throw invalidField('teamId', 'teamId must be one of the two teams of the schedule');
}
