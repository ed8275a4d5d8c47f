import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { invalidFields, type FieldProblem } from '../../errors/service-error.js';
import type { Session } from '../../database/transaction.js';
import { PlayersRepository } from '../players/players.repository.js';
import { TeamsService } from '../teams/teams.service.js';
import { type PlayerSnapshot, PlayerStatisticsRepository } from './player-statistics.repository.js';
import type { ParsedRow } from './rules/parse-rows.js';

/** The teams of a game, and the one of them to which a request is limited, if any. */
interface Sides {
  readonly teamIds: readonly string[];
  readonly teamId: string | undefined;
}

/** The teams of a game and the players of its stored rows, read in a transaction. */
interface Game {
  readonly scope: OrganizationScope;
  readonly teamIds: readonly string[];
  readonly stored: readonly PlayerSnapshot[];
  readonly session: Session;
}

/** The field that names the player of a row, and the player's ID, unless the field is wrong. */
type Found = { readonly field: string; readonly id: string } | { readonly field: string; readonly problem: string };

/** Finds the players of statistics rows, inside the transaction that writes them. */
@Injectable()
export class StatisticsPlayers {
  constructor(
    private readonly statistics: PlayerStatisticsRepository,
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
  ) {}

  /**
   * Returns the player of each row: as in the stored rows of the game, otherwise as on the current roster.
   * @throws ServiceError 40001 for rows whose player does not play in the game, or on the other side
   */
  async find(
    scope: OrganizationScope,
    scheduleId: string,
    { teamIds, teamId }: Sides,
    rows: readonly ParsedRow[],
    session: Session,
  ): Promise<PlayerSnapshot[]> {
    const stored = await this.statistics.findPlayersBySchedule(scope, scheduleId, session);
    const game = { scope, teamIds, stored, session };
    const found = await this.findIds(game, rows);
    const ids = found.flatMap((one) => ('id' in one ? [one.id] : []));
    const snapshots = await this.findSnapshots(game, ids);
    const problems: FieldProblem[] = [];
    const seen = new Set<string>();
    const players = found.flatMap((one, index): PlayerSnapshot[] => {
      const { category } = rows[index] ?? {};
      const player = 'id' in one ? snapshots.get(one.id) : undefined;
      const reject = (problem: string) => void problems.push({ field: one.field, message: `${one.field} ${problem}` });
      if ('problem' in one) reject(one.problem);
      else if (player === undefined) reject('must be a player of one of the two teams');
      else if (teamId !== undefined && !player.teamId.equals(teamId)) reject('must be a player of the team in teamId');
      // A player can be named by ID in one row and by external ID in another one.
      else if (seen.has(`${one.id} ${category}`)) reject(`already has a row of the category ${category}`);
      else seen.add(`${one.id} ${category}`);
      return player === undefined ? [] : [player];
    });
    if (problems.length > 0) throw invalidFields(problems);
    return players;
  }

  /** Returns the ID of each row's player: by external ID one of the roster, otherwise one of the stored rows. */
  private async findIds({ scope, teamIds, stored, session }: Game, rows: readonly ParsedRow[]): Promise<Found[]> {
    const externalIds = rows.flatMap(({ player }) => ('playerId' in player ? [] : [player.playerExternalId]));
    const roster = await this.players.findOnTeams(scope, teamIds, [...new Set(externalIds)], session);
    const ids = stored.map(({ playerId }) => playerId);
    const known = await this.players.findWithExternalIds(scope, ids, [...new Set(externalIds)], session);
    const externalIdOf = new Map(known.map(({ _id, externalId }) => [String(_id), externalId]));
    const former = stored.map((row) => ({
      ...row,
      _id: row.playerId,
      externalId: externalIdOf.get(String(row.playerId)),
    }));
    const named = [...former.filter(({ externalId }) => externalId !== undefined), ...roster];
    const idOf = new Map(named.map(({ _id, teamId, externalId }) => [`${String(teamId)} ${externalId}`, String(_id)]));
    return rows.map(({ player }, index): Found => {
      const path = `rows[${index}]`;
      if ('playerId' in player) return { field: `${path}.playerId`, id: player.playerId };
      // A team that plays itself is one team.
      const teamId = player.teamId ?? (new Set(teamIds).size === 1 ? teamIds[0] : undefined);
      if (teamId === undefined || !teamIds.includes(teamId)) {
        const problem = teamId === undefined ? 'is required if both sides are teams' : 'must be one of the two teams';
        return { field: `${path}.teamId`, problem: `${problem} of the organization` };
      }
      const field = `${path}.playerExternalId`;
      const id = idOf.get(`${teamId} ${player.playerExternalId}`);
      return id === undefined ? { field, problem: 'must be the external ID of a player of the team' } : { field, id };
    });
  }

  /** Returns the players who can have a row by ID, and locks those who are not in the stored rows. */
  private async findSnapshots({ scope, teamIds, stored, session }: Game, ids: readonly string[]) {
    const players = new Map(stored.map((player) => [String(player.playerId), player]));
    const unknown = [...new Set(ids)].filter((id) => !players.has(id));
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
