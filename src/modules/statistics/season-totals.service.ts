import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { invalidField } from '../../errors/service-error.js';
import { offsetOf } from '../../http/paging.js';
import type { VersionedRead } from '../../records/versioned.interceptor.js';
import { toRecordId } from '../../database/record.js';
import { PlayersRepository } from '../players/players.repository.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import { TeamsService } from '../teams/teams.service.js';
import { deriveValues } from './rules/counters.js';
import { compareTotals, sortFieldsOf } from './rules/season-totals.rules.js';
import type { StatisticsCategory } from './rules/statistics-table.js';
import { SeasonSums } from './season-sums.js';
import type { SeasonTotalsQuery, SeasonTotalsResponse } from './season-totals.dto.js';

/** Computes what players did in the games of a season; nothing is stored. A game belongs to the season of its owning team. */
@Injectable()
export class SeasonTotalsService {
  constructor(
    private readonly seasons: SeasonsService,
    private readonly teams: TeamsService,
    private readonly players: PlayersRepository,
    private readonly teamRecords: TeamsRepository,
    private readonly schedules: SchedulesRepository,
    private readonly sums: SeasonSums,
  ) {}

  /** Returns a page of the totals of a category, with the version of everything that they are computed from. */
  async get(
    scope: OrganizationScope,
    seasonId: string,
    { category, teamId, sort, ...page }: SeasonTotalsQuery,
  ): Promise<VersionedRead<SeasonTotalsResponse>> {
    const sortFields = sortFieldsOf(category);
    if (sort !== undefined && !sortFields.includes(sort))
      throw invalidField('sort', `sort must be one of ${sortFields.join(', ')}`);
    const team = teamId === undefined ? undefined : await this.teams.requireTeam(scope, teamId);
    (await this.seasons.lookUp(scope, [seasonId]))(seasonId);
    const version = [
      await this.teamRecords.findVersion(scope),
      await this.schedules.findVersion(scope),
      await this.schedules.findStatisticsVersion(scope),
      await this.players.findVersion(scope),
    ];
    const read = async () => {
      const all = await this.findTotals(scope, seasonId, category);
      const found = all.filter((row) => team === undefined || row.teamId === team.id);
      const start = offsetOf(page);
      const data = found.sort((a, b) => compareTotals(a, b, sort)).slice(start, start + page.limit);
      return { data, total: found.length };
    };
    return { version, read };
  }

  private async findTotals(scope: OrganizationScope, seasonId: string, category: StatisticsCategory) {
    const teams = await this.teamRecords.findBySeason(scope, seasonId);
    const teamIds = teams.map(({ _id }) => _id);
    const games = await this.schedules.findCounted(scope, teamIds);
    const sums = await this.sums.find(scope, category, games);
    const playerIds = sums.map(({ playerId }) => toRecordId(playerId));
    const present = await this.players.findPresent(scope, playerIds);
    const players = new Map(present.map((player) => [String(player._id), player]));
    const presentTeams = present.map(({ teamId }) => String(teamId));
    const teamOf = await this.teams.lookUp(scope, presentTeams);
    return sums.map(({ playerId, games: count, latest, stats }) => {
      const player = players.get(playerId);
      const { name, jerseyNumber, teamId } = player ?? { ...latest, name: latest.playerName };
      return {
        category,
        playerId,
        playerName: name,
        ...(jerseyNumber !== undefined && { jerseyNumber }),
        teamId: String(teamId),
        teamName: player === undefined ? latest.teamName : teamOf(String(player.teamId)).name,
        games: count,
        stats,
        derived: deriveValues(category, stats),
      };
    });
  }
}
