import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { invalidFields, type FieldProblem } from '../../errors/service-error.js';
import type { Session } from '../../database/transaction.js';
import type { NamedPlayer } from '../players/player.schema.js';
import { PlayersRepository } from '../players/players.repository.js';
import type { GameTeams } from '../schedules/schedules.repository.js';
import { teamIdsOf } from '../schedules/schedule.rules.js';
import { TeamsService } from '../teams/teams.service.js';
import { type PlayerSnapshot, PlayerStatisticsRepository } from './player-statistics.repository.js';
import type { ParsedRow } from './rules/parse-rows.js';
import { type Game, SideFinder } from './rules/sides.rules.js';

/** Finds the players of statistics rows, inside the transaction that writes them. */
@Injectable()
export class StatisticsPlayers {
  constructor(
    private readonly statistics: PlayerStatisticsRepository,
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
  ) {}

  /**
   * Returns the player of each row: as in the stored rows of the game, otherwise as at its start. Locks those who are not in
   * the stored rows, so that an erasure runs before or after.
   * @param teamId the side to which the request is limited, if any
   * @throws ServiceError 40001 for rows whose player is unknown, or whose side is undecided or not the requested one
   */
  async find(
    scope: OrganizationScope,
    schedule: GameTeams,
    teamId: string | undefined,
    rows: readonly ParsedRow[],
    session: Session,
  ): Promise<PlayerSnapshot[]> {
    const teamIds = teamIdsOf(schedule);
    const stored = await this.statistics.findPlayersBySchedule(scope, String(schedule._id), session);
    const teamOf = await this.teams.lookUp(scope, teamIds);
    const sides = new Map(teamIds.map((id) => [id, teamOf(id)]));
    const game: Game = { start: schedule.startDate, sides, stored, teamId };
    const isStored = new Set(stored.map(({ playerId }) => String(playerId)));
    const found = await this.findNamed(scope, rows, isStored, session);
    const finder = new SideFinder(game, found);
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
    if (added.length > 0) await this.players.lockForStatistics(scope, added, session);
    return snapshots;
  }

  /** Returns the players that the rows name, also deleted ones, except those of whom the stored rows say enough. */
  private findNamed(
    scope: OrganizationScope,
    rows: readonly ParsedRow[],
    isStored: ReadonlySet<string>,
    session: Session,
  ): Promise<NamedPlayer[]> {
    const isKnown = (id: string, side: ParsedRow['side']) => side === undefined && isStored.has(id);
    const ids = new Set(
      rows.flatMap(({ player, side }) =>
        'playerId' in player && !isKnown(player.playerId, side) ? player.playerId : [],
      ),
    );
    const externalIds = new Set(rows.flatMap(({ player }) => ('playerId' in player ? [] : player.playerExternalId)));
    return this.players.findNamed(scope, [...ids], [...externalIds], session);
  }
}
