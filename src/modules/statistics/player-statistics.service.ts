import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../config/clock.js';
import type { Actor, OrganizationScope, RequestContext } from '../../access/request-context.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import { assertRevision, type Preconditions, newRecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
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
import { PlayerStatisticsRepository, renamedAtOnce, type StoredStatistics } from './player-statistics.repository.js';
import type { PlayerStatisticsRecord } from './player-statistics.schema.js';
import { type ParsedRow, parseRows } from './rules/parse-rows.js';
import { StatisticsPlayers } from './statistics-players.js';

/** Replaces the name of an erased player. */
const erasedName = 'Deleted player';

/** The new rows of a game. */
interface Replacement {
  readonly rows: readonly ParsedRow[];
  /** The side whose rows are replaced; both sides if omitted. */
  readonly teamId?: string | undefined;
  /** The ID of the acting user. */
  readonly createdBy: string | undefined;
}

@Injectable()
export class PlayerStatisticsService {
  constructor(
    private readonly statistics: PlayerStatisticsRepository,
    private readonly rowPlayers: StatisticsPlayers,
    private readonly schedules: SchedulesService,
    private readonly games: SchedulesRepository,
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
    private readonly audit: AuditTrail,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async get(context: RequestContext, scheduleId: string, query: PlayerStatisticsQuery) {
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
    return this.replaceRows(context, context, scheduleId, { rows, teamId, createdBy: context.actingUser.id });
  }

  /**
   * Replaces all statistics of a game in one transaction. The rows are parsed only after the access check, because they
   * can be 1 MB.
   */
  async replace(actor: Actor, scheduleId: string, sent: unknown): Promise<PlayerStatisticsResponse> {
    const scope = await this.getScope(actor, scheduleId);
    const createdBy = 'system' in actor ? undefined : actor.user.id;
    return this.replaceRows(actor, scope, scheduleId, { rows: parseRows(sent), createdBy });
  }

  /**
   * Erases a player, deleted or not, and replaces their name in all statistics, in transactions of up to 500 rows; after an
   * interruption, a repetition continues. Jersey number, team and counters stay: they are the record of the game. Returns
   * the number of changed rows, the organization, and the erased name, unless the player is already erased.
   * @param organizationId the player's organization, which is required to find rows if the player is already erased
   * @throws ServiceError 40403 if there is neither the player nor a row with the name
   */
  async erasePlayer(actor: Actor, playerId: string, organizationId?: string) {
    const erase = async (session: Session) => {
      // In the transaction, so that only one of several concurrent erasures succeeds.
      const ownedBy = organizationId === undefined ? {} : { organizationId: toRecordId(organizationId) };
      const found = await this.players.ownerOf(playerId, ownedBy, session);
      const owner = found ?? organizationId;
      const message = `No player has the ID ${playerId}`;
      if (owner === undefined) throw new ServiceError('playerNotFound', { message });
      const scope = { organization: { id: owner }, assertMayWrite: actor.assertMayWrite };
      const rows = await this.statistics.countNamed(scope, playerId, erasedName);
      if (found === null && rows === 0) throw new ServiceError('playerNotFound', { message });
      const name = await this.players.erase(scope, playerId, session);
      return { scope, rows, name, renamed: await this.eraseName(scope, playerId, session) };
    };
    const toChange = ({ scope: { organization }, rows }: { scope: OrganizationScope; rows: number }) =>
      ({ action: 'erasePlayer', id: playerId, organizationId: organization.id, changes: { rows } }) as const;
    const { scope, rows, name, renamed } = await this.audit.recordWith(actor, toChange, erase);
    for (let last = renamed; last === renamedAtOnce;)
      last = await this.transactions.run(scope, (session) => this.eraseName(scope, playerId, session));
    return { rows, organization: scope.organization, name };
  }

  /** Replaces the name of a player in some rows, which changes the statistics of their games. Returns the number of rows. */
  private async eraseName(scope: OrganizationScope, playerId: string, session: Session): Promise<number> {
    const now = this.clock.now();
    const scheduleIds = await this.statistics.renamePlayer(scope, playerId, erasedName, now, session);
    await this.games.countStatisticsWrite(scope, scheduleIds, now, session);
    return scheduleIds.length;
  }

  private async getScope(actor: Actor, scheduleId: string): Promise<OrganizationScope & Preconditions> {
    const owner = assertFound(await this.games.ownerOf(scheduleId), 'scheduleNotFound');
    if (!('system' in actor) && actor.user.role !== 'superAdmin' && actor.user.organizationId !== owner) {
      throw new ServiceError('roleForbidden', { message: 'The schedule belongs to another organization' });
    }
    const { assertMayWrite, ifMatch, ifNoneMatch } = actor;
    return {
      organization: { id: owner },
      assertMayWrite,
      ...(ifMatch && { ifMatch }),
      ...(ifNoneMatch && { ifNoneMatch }),
    };
  }

  /** Returns the ID of the team to which a request is limited, if any. */
  private async findSide(context: RequestContext, { teamId }: StatisticsSideQuery): Promise<string | undefined> {
    return teamId === undefined ? undefined : (await this.teams.requireTeam(context, teamId)).id;
  }

  private async replaceRows(
    actor: Actor | RequestContext,
    scope: OrganizationScope & Preconditions & Pick<RequestContext, 'onRevision'>,
    scheduleId: string,
    replacement: Replacement,
  ): Promise<PlayerStatisticsResponse> {
    const event = {
      action: 'replacePlayerStatistics',
      id: scheduleId,
      organizationId: scope.organization.id,
      changes: { rows: replacement.rows.length, ...(replacement.teamId && { teamId: replacement.teamId }) },
    } as const;
    const { records, revision } = await this.audit.recordWith(actor, event, (session) =>
      this.storeRows(scope, scheduleId, replacement, session),
    );
    scope.onRevision?.(revision);
    return this.respond(scope, records);
  }

  private async respond(scope: OrganizationScope, records: readonly StoredStatistics[]) {
    const [playerIds, teamIds] = [records.map(({ playerId }) => playerId), records.map(({ teamId }) => teamId)];
    const players = await this.players.findExternalIds(scope, playerIds);
    const named = [...players, ...(await this.teams.findExternalIds(scope, teamIds))];
    const externalIds = new Map(named.map(({ _id, externalId }) => [String(_id), externalId]));
    return toPlayerStatisticsResponse(records, externalIds);
  }

  private async storeRows(
    scope: OrganizationScope & Preconditions,
    scheduleId: string,
    { rows, teamId, createdBy }: Replacement,
    session: Session,
  ) {
    const game = await this.games.lockForStatistics(scope, scheduleId, this.clock.now(), session);
    if (game === null) return this.schedules.throwMissing(scheduleId);
    // The lock has counted this change already.
    assertRevision(scope, { revision: revisionOf(game) - 1 });
    assertSide(game, teamId);
    if (game.eventType === 'practice' || game.status === 'cancelled')
      throw invalidField('scheduleId', 'scheduleId must be a game: a practice or a cancelled game has no statistics');
    const players = await this.rowPlayers.find(scope, game, teamId, rows, session);
    const now = this.clock.now();
    const common = {
      organizationId: toRecordId(scope.organization.id),
      scheduleId: toRecordId(scheduleId),
      createdAt: now,
      updatedAt: now,
      ...(createdBy !== undefined && { createdBy: toRecordId(createdBy) }),
    };
    const records = rows.flatMap(({ category, stats }, index): PlayerStatisticsRecord[] => {
      const player = players[index];
      return player === undefined ? [] : [{ ...player, ...common, _id: newRecordId(), category, stats }];
    });
    await this.statistics.replaceBySchedule(scope, scheduleId, teamId, records, session);
    return { records, revision: revisionOf(game) };
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
