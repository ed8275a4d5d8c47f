import { Injectable } from '@nestjs/common';
import type { Tenant } from '../../access/request-context.js';
import { invalidField } from '../../errors/service-error.js';
import { offsetOf } from '../../http/paging.js';
import { mapInSteps, runInTurns, sortInSteps } from '../../http/turns.js';
import { VersionedCache } from '../../records/versioned-cache.js';
import type { VersionedRead } from '../../records/versioned.interceptor.js';
import { toRecordId } from '../../database/record.js';
import { PlayersRepository } from '../players/players.repository.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import { type TeamRef, TeamsService } from '../teams/teams.service.js';
import { deriveValues } from './rules/counters.js';
import { compareTotals, sortFieldsOf } from './rules/season-totals.rules.js';
import type { StatisticsCategory } from './rules/statistics-table.js';
import { SeasonSums } from './season-sums.js';
import type { SeasonTotals, SeasonTotalsQuery, SeasonTotalsResponse } from './season-totals.dto.js';

/** How many totals are cached: those of two lists of 20,000 players. */
const maxRows = 40_000;

/** What is totalled: a category in all games, or for one team in its games. */
interface Totals {
  readonly category: StatisticsCategory;
  readonly sort: string | undefined;
  readonly team: TeamRef | undefined;
}

/** Computes what players did in the games of a season; nothing is stored. */
@Injectable()
export class SeasonTotalsService {
  private readonly totals = new VersionedCache<SeasonTotals[]>(maxRows);

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
    tenant: Tenant,
    seasonId: string,
    { category, teamId, sort, ...page }: SeasonTotalsQuery,
  ): Promise<VersionedRead<SeasonTotalsResponse>> {
    const sortFields = sortFieldsOf(category);
    if (sort !== undefined && !sortFields.includes(sort))
      throw invalidField('sort', `sort must be one of ${sortFields.join(', ')}`);
    const team = teamId === undefined ? undefined : await this.teams.requireTeam(tenant, teamId);
    (await this.seasons.lookUp(tenant, [seasonId]))(seasonId);
    const version = [
      await this.teamRecords.findVersion(tenant),
      await this.schedules.findVersion(tenant),
      await this.schedules.findStatisticsVersion(tenant),
      await this.players.findVersion(tenant),
    ];
    const compute = () => this.findTotals(tenant, seasonId, { category, sort, team });
    const read = async () => {
      const found = await this.totals.get(tenant, [seasonId, category, sort, team?.id], version, compute);
      const start = offsetOf(page);
      return { data: found.slice(start, start + page.limit), total: found.length };
    };
    return { version, read };
  }

  private async findTotals(tenant: Tenant, seasonId: string, { category, sort, team }: Totals) {
    const games = await this.schedules.findCounted(tenant, seasonId);
    const sums = await this.sums.find(tenant, { category, teamId: team?.id }, games);
    const playerIds = await runInTurns(mapInSteps(sums, ({ playerId }) => toRecordId(playerId)));
    const present = await this.players.findPresent(tenant, playerIds);
    const players = new Map(await runInTurns(mapInSteps(present, (player) => [String(player._id), player] as const)));
    const presentTeams = await runInTurns(mapInSteps(present, ({ teamId }) => String(teamId)));
    const teamOf = await this.teams.lookUp(tenant, presentTeams);
    const totals = mapInSteps(sums, ({ playerId, games: count, latest, stats, rated }): SeasonTotals => {
      const player = players.get(playerId);
      const isPresent = player !== undefined && (team === undefined || team.id === String(player.teamId));
      const { jerseyNumber, teamId } = isPresent ? player : latest;
      const playerExternalId = player?.externalId;
      const presentTeam = isPresent ? teamOf(String(teamId)) : team;
      return {
        category,
        playerId,
        ...(playerExternalId && { playerExternalId }),
        playerName: player?.name ?? latest.playerName,
        ...(jerseyNumber !== undefined && { jerseyNumber }),
        teamId: String(teamId),
        ...(presentTeam?.externalId && { teamExternalId: presentTeam.externalId }),
        teamName: presentTeam?.name ?? latest.teamName,
        games: count,
        stats,
        derived: deriveValues(category, stats, rated),
      };
    });
    return runInTurns(sortInSteps(await runInTurns(totals), (a, b) => compareTotals(a, b, sort)));
  }
}
