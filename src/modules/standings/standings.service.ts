import { Injectable, StreamableFile } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { mapInSteps, runInTurns, type Steps } from '../../http/turns.js';
import { type RecordId, toRecordId } from '../../database/record.js';
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

type FoundGame = Awaited<ReturnType<SchedulesRepository['findDecided']>>[number];
type FoundTeam = Awaited<ReturnType<TeamsRepository['findRanked']>>[number];

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
    const sides = await runInTurns(sidesOf(decided));
    const found = await this.teams.findRanked(scope, season, [...sides.values()], filters);
    const teamsById = new Map(found.map((team) => [String(team._id), team]));
    const games = await runInTurns(gamesWithin(season, decided, teamsById));
    const played = await runInTurns(sidesOf(games));
    const teams = found
      .filter((team) => team.season.equals(season) || played.has(String(team._id)))
      .map(({ _id, ...team }) => ({ id: String(_id), ...team }));
    const data = await runInTurns(rankTeams(teams, games, tiebreakers));
    const rows = await runInTurns(mapInSteps(data, (row) => JSON.stringify(row)));
    return Buffer.from(`{"data":[${rows.join()}],"total":${rows.length}}`);
  }
}

/** Returns the teams of games by ID. */
function* sidesOf(games: readonly FoundGame[]): Steps<ReadonlyMap<string, RecordId>> {
  const sides = new Map<string, RecordId>();
  for (const { teamOneId, teamTwoId } of games) {
    yield;
    sides.set(String(teamOneId), teamOneId);
    if (teamTwoId !== undefined) sides.set(String(teamTwoId), teamTwoId);
  }
  return sides;
}

/** Returns the games of a season whose opponent was in it, too, when they started. */
function* gamesWithin(
  season: RecordId,
  games: readonly FoundGame[],
  teams: ReadonlyMap<string, FoundTeam>,
): Steps<FoundGame[]> {
  const within: FoundGame[] = [];
  for (const game of games) {
    yield;
    const opponent = teams.get(String(game.teamTwoId));
    if (opponent && valuesAt(opponent, opponent.formerSeasons, game.startDate).season.equals(season)) within.push(game);
  }
  return within;
}
