import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/request-context.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import type { StandingsQuery } from './standing.dto.js';
import { rankTeams } from './standings.rules.js';

/** Computes the standings of a season from its games; nothing is stored. */
@Injectable()
export class StandingsService {
  constructor(
    private readonly seasons: SeasonsService,
    private readonly teams: TeamsRepository,
    private readonly schedules: SchedulesRepository,
  ) {}

  /** Returns the standings, with the version of the organization's teams and games, from which alone they are computed. */
  async get(scope: OrganizationScope, seasonId: string, query: StandingsQuery) {
    (await this.seasons.lookUp(scope, [seasonId]))(seasonId);
    const version = [await this.teams.findVersion(scope), await this.schedules.findVersion(scope)];
    return { version, read: () => this.compute(scope, seasonId, query) };
  }

  /** Returns the standings of a season that the organization can use. */
  async compute(scope: OrganizationScope, seasonId: string, { tiebreakers, ...filters }: StandingsQuery) {
    const found = await this.teams.findBySeason(scope, seasonId, filters);
    const teamIds = found.map(({ _id }) => _id);
    const decided = await this.schedules.findDecided(scope, teamIds);
    const teams = found.map(({ _id, ...team }) => ({ id: String(_id), ...team }));
    const games = decided.map((game) => ({
      ...game,
      teamOneId: String(game.teamOneId),
      teamTwoId: String(game.teamTwoId),
    }));
    const data = rankTeams(teams, games, tiebreakers);
    return { data, total: data.length };
  }
}
