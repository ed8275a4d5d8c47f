import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/context/request-context.js';
import { PlayersService } from '../players/players.service.js';
import { CreateSchedule } from '../schedules/dto/create-schedule.request.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { CreateTeam } from '../teams/dto/create-team.request.js';
import { TeamsService } from '../teams/teams.service.js';
import { atHour, type Fixture, pastGames, seasonAround, upcomingGames } from './calendar.js';
import { DemoGames } from './demo-games.service.js';
import { demoTeams, emailOf } from './league.js';
import { LiveGame } from './live-game.service.js';
import { drivesOfGame } from './simulation/simulate-game.js';

/** Fills a new organization with a league that is in the middle of its season. */
@Injectable()
export class DemoLeague {
  constructor(
    private readonly seasons: SeasonsService,
    private readonly teams: TeamsService,
    private readonly players: PlayersService,
    private readonly schedules: SchedulesService,
    private readonly games: DemoGames,
    private readonly liveGame: LiveGame,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the season, the teams with their players, and the games around now.
   * @returns the id of the live game
   */
  async create(context: RequestContext): Promise<string | undefined> {
    const now = this.clock.now();
    const organizationId = context.organization.id;
    const season = await this.seasons.create({ system: 'server' }, { ...seasonAround(now), organizationId });
    const teamIds = await this.createTeams(context, season._id);
    // One after another, so that lists in order of creation come in the order of play.
    for (const [index, fixture] of pastGames(now).entries()) {
      const game = await this.games.create(context, gameOf(fixture, teamIds));
      await this.games.play(context, game, { seed: index, drives: drivesOfGame });
    }
    const live = await this.liveGame.ensure(context);
    for (const fixture of upcomingGames(now)) await this.games.create(context, gameOf(fixture, teamIds));
    await this.createTrainings(context, teamIds, now);
    return live;
  }

  private async createTeams(context: RequestContext, season: string): Promise<string[]> {
    const teamIds: string[] = [];
    for (const { name, players } of demoTeams) {
      const fields = { name, season, ageGroup: 'adult' };
      const team = await this.teams.create(context, Object.assign(new CreateTeam(), fields), undefined);
      for (const [jerseyNumber, player, ...position] of players) {
        const input = { name: player, email: emailOf(player), position, jerseyNumber };
        await this.players.create(context, team._id, input, undefined);
      }
      teamIds.push(team._id);
    }
    return teamIds;
  }

  /** A practice, and a scrimmage against a guest. */
  private async createTrainings(context: RequestContext, teamIds: readonly string[], now: Date): Promise<void> {
    const [first = '', second = ''] = teamIds;
    const practice = {
      teamId: first,
      teamTwoName: 'Bay Hawks',
      eventType: 'practice',
      startDate: atHour(now, 2, 18),
      duration: 60,
      locationName: 'Riverside Park, field 3',
      practiceNote: 'Flag pulling and two-minute drill.\nBring cones and both jerseys.',
    };
    await this.schedules.create(context, Object.assign(new CreateSchedule(), practice), undefined);
    await this.games.create(context, {
      teamId: second,
      teamTwoName: 'Lakeside Sharks',
      startDate: atHour(now, 10, 18),
      isScrimmage: true,
      locationName: 'Lakeside Stadium',
    });
  }
}

function gameOf({ home, away, startDate }: Fixture, teamIds: readonly string[]) {
  const locationName = `Riverside Park, field ${1 + (home % 2)}`;
  return { teamId: teamIds[home] ?? '', teamTwoId: teamIds[away] ?? '', startDate, locationName };
}
