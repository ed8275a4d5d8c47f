import { Injectable, StreamableFile } from '@nestjs/common';
import type { Tenant } from '../../access/request-context.js';
import { mapInSteps, runInTurns, type Steps } from '../../http/turns.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import { valuesAt } from '../../database/former-values.js';
import { assertFound } from '../../errors/service-error.js';
import { VersionedCache } from '../../records/versioned-cache.js';
import type { VersionedRead } from '../../records/versioned.interceptor.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import type { StandingsRules } from '../seasons/standings-rules.schema.js';
import { explainPlace } from './place.rules.js';
import type { PlaceDataResponse, StandingsQuery, StandingsResponse } from './standing.dto.js';
import { type DecidedGame, type RankedTeam, rankTeams } from './standings.rules.js';

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

  /** Returns the standings, with the version of the teams, games and rules, from which alone they are computed. */
  get(tenant: Tenant, seasonId: string, query: StandingsQuery): Promise<VersionedRead<StandingsResponse>> {
    return this.readComputed(tenant, [seasonId, query], async (teams, games, rules) => {
      const data = await runInTurns(rankTeams(teams, games, rules));
      const rows = await runInTurns(mapInSteps(data, (row) => JSON.stringify(row)));
      return `{"data":[${rows.join()}],"total":${rows.length}}`;
    });
  }

  /** Returns why a team has its place. @throws ServiceError 40401 if it is not ranked */
  explain(
    tenant: Tenant,
    seasonId: string,
    query: StandingsQuery,
    teamId: string,
  ): Promise<VersionedRead<PlaceDataResponse>> {
    return this.readComputed(tenant, [seasonId, query, teamId], async (teams, games, rules) => {
      const place = await runInTurns(explainPlace(teams, games, rules, teamId));
      return JSON.stringify({ data: assertFound(place, 'teamNotFound') });
    });
  }

  /** Caches results as JSON, because formatting thousands of teams for each response would hold the event loop. */
  private async readComputed(
    tenant: Tenant,
    key: readonly [seasonId: string, query: StandingsQuery, teamId?: string],
    compute: (teams: RankedTeam[], games: DecidedGame[], rules: StandingsRules) => Promise<string>,
  ) {
    const [seasonId, query] = key;
    const rules = await this.seasons.getRules(tenant, seasonId);
    const versions = [await this.teams.findVersion(tenant), await this.schedules.findVersion(tenant)];
    const version = [...versions, JSON.stringify(rules)];
    const read = async () => {
      // With the rules, because work of the same key is shared.
      const text = await this.computed.get(tenant, [...key, rules], version, async () => {
        const { teams, games } = await this.find(tenant, toRecordId(seasonId), query);
        return Buffer.from(await compute(teams, games, { ...rules, ...query }));
      });
      return new StreamableFile(text, { type, length: text.length });
    };
    return { version, read };
  }

  private async find(tenant: Tenant, season: RecordId, { ageGroup, gender }: StandingsQuery) {
    const decided = await this.schedules.findDecided(tenant, season);
    const sides = await runInTurns(sidesOf(decided));
    const found = await this.teams.findRanked(tenant, season, [...sides.values()], { ageGroup, gender });
    const teamsById = new Map(found.map((team) => [String(team._id), team]));
    const games = await runInTurns(gamesWithin(season, decided, teamsById));
    const teams = found.map(({ _id, isArchived, ...team }) => {
      // As an archived team, one that has left the season is ranked only if it played.
      return { id: String(_id), ...team, isArchived: isArchived || !team.season.equals(season) };
    });
    return { teams, games };
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

/** Returns the games of a season between the teams whose opponent was in it, too, when they started. */
function* gamesWithin(
  season: RecordId,
  games: readonly FoundGame[],
  teams: ReadonlyMap<string, FoundTeam>,
): Steps<FoundGame[]> {
  const within: FoundGame[] = [];
  for (const game of games) {
    yield;
    const [owner, opponent] = [game.teamOneId, game.teamTwoId].map((id) => teams.get(String(id)));
    if (owner && opponent && valuesAt(opponent, opponent.formerSeasons, game.startDate).season.equals(season))
      within.push(game);
  }
  return within;
}
