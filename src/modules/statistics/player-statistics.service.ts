import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../config/clock.js';
import type { Actor, OrganizationScope, RequestContext } from '../../access/request-context.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { type FieldProblem, invalidField, invalidFields, ServiceError } from '../../errors/service-error.js';
import { adminIdOf, newRecordId, type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { PlayersRepository } from '../players/players.repository.js';
import { teamIdsOf } from '../schedules/schedule.rules.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { TeamsService } from '../teams/teams.service.js';
import {
  type PlayerStatisticsQuery,
  type PlayerStatisticsResponse,
  toPlayerStatisticsResponse,
} from './player-statistics.dto.js';
import { type PlayerSnapshot, PlayerStatisticsRepository } from './player-statistics.repository.js';
import type { PlayerStatisticsRecord } from './player-statistics.schema.js';
import { type ParsedRow, parseRows } from './rules/parse-rows.js';

@Injectable()
export class PlayerStatisticsService {
  constructor(
    private readonly statistics: PlayerStatisticsRepository,
    private readonly schedules: SchedulesService,
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ServiceError 40301 for a team of another organization, 40302 or 40402 for the schedule, 40001 for a
   * team that does not play in it
   */
  async get(
    context: RequestContext,
    scheduleId: string,
    query: PlayerStatisticsQuery,
  ): Promise<PlayerStatisticsResponse> {
    const team = query.teamId === undefined ? undefined : await this.teams.requireTeam(context, query.teamId);
    // In parallel: the rows are wasted only if the schedule is rejected.
    const [game, records] = await Promise.all([
      this.schedules.getGameTeams(context, scheduleId),
      this.statistics.findBySchedule(context, scheduleId, { categories: query.categories, teamId: team?.id }),
    ]);
    if (team !== undefined && !teamIdsOf(game).includes(team.id)) {
      throw invalidField('teamId', 'teamId must be one of the two teams of the schedule');
    }
    return toPlayerStatisticsResponse(records);
  }

  /**
   * Replaces all statistics of a game in one transaction. The rows are parsed only after the access check, because they
   * can be 1 MB.
   * @throws ServiceError 40402 for an unknown schedule, 40303 for an admin of another organization, 40001 for an invalid row
   */
  async replace(actor: Actor, scheduleId: string, sent: unknown): Promise<PlayerStatisticsResponse> {
    const scope = await this.getScope(actor, scheduleId);
    const rows = parseRows(sent);
    const event = {
      action: 'replacePlayerStatistics',
      id: scheduleId,
      organizationId: scope.organization.id,
      changes: { rows: rows.length },
    } as const;
    const records = await this.audit.recordWith(actor, event, (session) =>
      this.write(scope, scheduleId, rows, adminIdOf(actor), session),
    );
    return toPlayerStatisticsResponse(records);
  }

  /**
   * Erases a player, deleted or not, and replaces their name in all statistics, in one transaction. Jersey number, team
   * and counters stay: they are the record of the game. Returns the number of changed rows.
   * @param organizationId where to look for rows if the player is already erased
   * @throws ServiceError 40403 if there is neither the player nor a row with the name
   */
  async erasePlayer(actor: Actor, playerId: string, organizationId?: string): Promise<number> {
    const erase = async (session: Session) => {
      // In the transaction, so that only one of several concurrent erasures succeeds.
      const found = await this.players.ownerOf(playerId, {}, session);
      const owner = found ?? organizationId;
      const message = `No player has the ID ${playerId}`;
      if (owner === undefined) throw new ServiceError(errorCatalogue.playerNotFound, { message });
      const scope = { organization: { id: owner }, assertMayWrite: actor.assertMayWrite };
      await this.players.erase(scope, playerId, session);
      const changes = { playerName: 'Deleted player', updatedAt: this.clock.now() };
      const rows = await this.statistics.renamePlayer(scope, playerId, changes, session);
      if (found === null && rows.length === 0) throw new ServiceError(errorCatalogue.playerNotFound, { message });
      for (const scheduleId of new Set(rows.map((row) => String(row.scheduleId))))
        await this.schedules.lockForStatistics(scope, scheduleId, session);
      return { owner, rows: rows.length };
    };
    const toChange = ({ owner, rows }: { owner: string; rows: number }) =>
      ({ action: 'erasePlayer', id: playerId, organizationId: owner, changes: { rows } }) as const;
    return (await this.audit.recordWith(actor, toChange, erase)).rows;
  }

  private async getScope(actor: Actor, scheduleId: string): Promise<OrganizationScope> {
    const owner = await this.schedules.ownerOf(scheduleId);
    if (owner === null) throw new ServiceError(errorCatalogue.scheduleNotFound);
    if (!('system' in actor) && actor.user.role !== 'superAdmin' && actor.user.organizationId !== owner) {
      throw new ServiceError(errorCatalogue.roleForbidden, { message: 'The schedule belongs to another organization' });
    }
    return { organization: { id: owner }, assertMayWrite: actor.assertMayWrite };
  }

  private async write(
    scope: OrganizationScope,
    scheduleId: string,
    rows: readonly ParsedRow[],
    createdBy: RecordId | undefined,
    session: Session,
  ): Promise<PlayerStatisticsRecord[]> {
    const game = await this.schedules.lockForStatistics(scope, scheduleId, session);
    if (game === null) throw new ServiceError(errorCatalogue.scheduleNotFound);
    if (game.eventType === 'practice')
      throw invalidField('scheduleId', 'scheduleId must be a game: a practice has no statistics');
    const players = await this.findPlayers(scope, scheduleId, teamIdsOf(game), rows, session);
    const now = this.clock.now();
    const problems: FieldProblem[] = [];
    const records = rows.flatMap(({ playerId, category, stats }, index): PlayerStatisticsRecord[] => {
      const player = players.get(playerId);
      if (player === undefined) {
        const field = `rows[${index}].playerId`;
        problems.push({ field, message: `${field} must be a player of one of the two teams` });
        return [];
      }
      const ids = { organizationId: toRecordId(scope.organization.id), scheduleId: toRecordId(scheduleId) };
      const times = { createdAt: now, updatedAt: now };
      return [{ ...player, _id: newRecordId(), ...ids, category, stats, ...times, ...(createdBy && { createdBy }) }];
    });
    if (problems.length > 0) throw invalidFields(problems);
    await this.statistics.replaceBySchedule(scope, scheduleId, records, session);
    return records;
  }

  /** Returns the players who can have a row: as in the stored rows, otherwise as on the current roster. */
  private async findPlayers(
    scope: OrganizationScope,
    scheduleId: string,
    teamIds: readonly string[],
    rows: readonly ParsedRow[],
    session: Session,
  ): Promise<Map<string, PlayerSnapshot>> {
    const stored = await this.statistics.findPlayersBySchedule(scope, scheduleId, session);
    const players = new Map(stored.map((player) => [String(player.playerId), player]));
    const unknown = [...new Set(rows.map(({ playerId }) => playerId))].filter((id) => !players.has(id));
    if (unknown.length === 0) return players;

    const roster = await this.players.lockRosterEntries(scope, teamIds, unknown, session);
    const teamOf = await this.teams.lookUp(scope, teamIds);
    for (const { _id: playerId, name: playerName, teamId, ...number } of roster) {
      const teamName = teamOf(String(teamId)).name;
      players.set(String(playerId), { playerId, playerName, teamId, teamName, ...number });
    }
    return players;
  }
}
