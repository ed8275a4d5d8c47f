import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { runInTurns } from '../../http/turns.js';
import { VersionedCache } from '../../records/versioned-cache.js';
import type { VersionedRead } from '../../records/versioned.interceptor.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import type { StandingsQuery, StandingsResponse } from './standing.dto.js';
import { rankTeams } from './standings.rules.js';

/** How many rows of standings are cached: those of ten seasons of 5,000 teams. A row takes about 0.3 KB. */
const maxRows = 50_000;

/** Computes the standings of a season from its games; nothing is stored. */
@Injectable()
export class StandingsService {
  private readonly computed = new VersionedCache<StandingsResponse>(maxRows, ({ data }) => data.length);

  constructor(
    private readonly seasons: SeasonsService,
    private readonly teams: TeamsRepository,
    private readonly schedules: SchedulesRepository,
  ) {}

  /** Returns the standings, with the version of the organization's teams and games, from which alone they are computed. */
  async get(
    scope: OrganizationScope,
    seasonId: string,
    query: StandingsQuery,
  ): Promise<VersionedRead<StandingsResponse>> {
    (await this.seasons.lookUp(scope, [seasonId]))(seasonId);
    const version = [await this.teams.findVersion(scope), await this.schedules.findVersion(scope)];
    const compute = () => this.compute(scope, seasonId, query);
    return { version, read: () => this.computed.get(scope, [seasonId, query], version, compute) };
  }

  private async compute(scope: OrganizationScope, seasonId: string, { tiebreakers, ...filters }: StandingsQuery) {
    const found = await this.teams.findBySeason(scope, seasonId, filters);
    const teamIds = found.map(({ _id }) => _id);
    const games = await this.schedules.findDecided(scope, teamIds);
    const teams = found.map(({ _id, ...team }) => ({ id: String(_id), ...team }));
    const data = await runInTurns(rankTeams(teams, games, tiebreakers));
    return { data, total: data.length };
  }
}
