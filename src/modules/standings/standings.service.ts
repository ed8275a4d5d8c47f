import { Injectable, StreamableFile } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { mapInSteps, runInTurns } from '../../http/turns.js';
import { toRecordId } from '../../database/record.js';
import { valuesAt } from '../../database/former-values.js';
import { VersionedCache } from '../../records/versioned-cache.js';
import type { VersionedRead } from '../../records/versioned.interceptor.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import type { StandingsQuery, StandingsResponse } from './standing.dto.js';
import { rankTeams } from './standings.rules.js';

/** How many bytes of standings are cached: a table of 5,000 teams has 1 MB. */
const maxBytes = 32_000_000;
const type = 'application/json; charset=utf-8';

/** Computes the standings of a season from its games; nothing is stored. */
@Injectable()
export class StandingsService {
  private readonly computed = new VersionedCache<Buffer>(maxBytes);

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
    const read = async () => {
      const text = await this.computed.get(scope, [seasonId, query], version, compute);
      return new StreamableFile(text, { type, length: text.length });
    };
    return { version, read };
  }

  /** Computes the standings as JSON, because formatting thousands of teams for each response would hold the event loop. */
  private async compute(scope: OrganizationScope, seasonId: string, { tiebreakers, ...filters }: StandingsQuery) {
    const season = toRecordId(seasonId);
    const decided = await this.schedules.findDecided(scope, season);
    const sides = await runInTurns(mapInSteps(decided, (game) => [game.teamOneId, game.teamTwoId].map(String)));
    const found = await this.teams.findRanked(scope, season, [...new Set(sides.flat())].map(toRecordId), filters);
    const teamsById = new Map(found.map((team) => [String(team._id), team]));
    const isOfSeason = ({ teamTwoId, startDate }: (typeof decided)[number]) => {
      const opponent = teamsById.get(String(teamTwoId));
      return opponent !== undefined && valuesAt(opponent, opponent.formerSeasons, startDate).season.equals(season);
    };
    const games = (await runInTurns(mapInSteps(decided, (game) => (isOfSeason(game) ? [game] : [])))).flat();
    const played = new Set(games.flatMap(({ teamOneId, teamTwoId }) => [teamOneId, teamTwoId].map(String)));
    const teams = found
      .filter((team) => team.season.equals(season) || played.has(String(team._id)))
      .map(({ _id, ...team }) => ({ id: String(_id), ...team }));
    const data = await runInTurns(rankTeams(teams, games, tiebreakers));
    const rows = await runInTurns(mapInSteps(data, (row) => JSON.stringify(row)));
    return Buffer.from(`{"data":[${rows.join()}],"total":${rows.length}}`);
  }
}
