import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/context/request-context.js';
import { type CatalogueEntry, errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { isRecordId } from '../common/validation/fields.js';
import type { ScheduleResponse } from '../schedules/schedule.response.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { TeamsService } from '../teams/teams.service.js';
import { isWellOn, liveGameTimes, liveTeams } from './calendar.js';
import { DemoGames } from './demo-games.service.js';

/** A game that has begun a while ago: so many drives of it were played. */
const script = { seed: 41, drives: 12 };

/**
 * The one demo game that is live. It is the same game at every start, moved in time, so that its statistics stay and
 * the number of games does not grow.
 */
@Injectable()
export class LiveGame {
  private readonly logger = new Logger('Demo');

  constructor(
    private readonly schedules: SchedulesService,
    private readonly teams: TeamsService,
    private readonly games: DemoGames,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes sure that the game is live and has statistics; what an operator deleted of it is made again.
   * @param remembered the game of an earlier start
   * @returns the game's id, or undefined where there are no two teams left to play it
   */
  async ensure(context: RequestContext, remembered?: string): Promise<string | undefined> {
    const game = (await this.moved(context, remembered)) ?? (await this.made(context));
    if (game === undefined) {
      this.logger.warn('There is no live demo game: the demo organization has fewer than two teams');
      return undefined;
    }
    if (!(await this.games.isPlayed(context, game._id)) && !(await this.games.play(context, game, script))) {
      this.logger.warn('The live demo game has no statistics: a team has too few players');
    }
    return game._id;
  }

  private async moved(context: RequestContext, id: string | undefined): Promise<ScheduleResponse | undefined> {
    if (id === undefined || !isRecordId(id)) return undefined;
    const game = await this.schedules.get(context, id).catch(unlessMissing);
    if (game?.eventType !== 'game') return undefined;
    const now = this.clock.now();
    if (isWellOn(game, now)) return game;
    return this.schedules.update(context, id, { teamId: game.teamId, ...liveGameTimes(now) });
  }

  private async made(context: RequestContext): Promise<ScheduleResponse | undefined> {
    const { data: teams } = await this.teams.list(context, { page: 1, limit: 2 });
    const [home, away] = [teams[liveTeams.home], teams[liveTeams.away]];
    if (home === undefined || away === undefined) return undefined;
    const times = liveGameTimes(this.clock.now());
    const locationName = 'Riverside Park, field 1';
    return this.games.create(context, { teamId: home._id, teamTwoId: away._id, ...times, locationName });
  }
}

function unlessMissing(error: unknown): undefined {
  const missing: CatalogueEntry[] = [errorCatalogue.scheduleNotFound, errorCatalogue.resourceForbidden];
  if (error instanceof ServiceError && missing.includes(error.entry)) return undefined;
  throw error;
}
