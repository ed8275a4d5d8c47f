import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../common/context/request-context.js';
import { PlayersService } from '../players/players.service.js';
import { CreateSchedule } from '../schedules/dto/create-schedule.request.js';
import type { ScheduleResponse } from '../schedules/schedule.response.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { PlayerStatisticsService } from '../statistics/player-statistics.service.js';
import { gameMinutes } from './calendar.js';
import { fieldLength } from './simulation/field.js';
import { type Lineup, lineupOf } from './simulation/lineup.js';
import { type GameScript, simulateGame } from './simulation/simulate-game.js';

/** Makes demo games, and plays them. */
@Injectable()
export class DemoGames {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly players: PlayersService,
    private readonly statistics: PlayerStatisticsService,
  ) {}

  /** Makes a game in the demo league's format. */
  create(
    context: RequestContext,
    game: Pick<CreateSchedule, 'teamId' | 'startDate'> & Partial<CreateSchedule>,
  ): Promise<ScheduleResponse> {
    const format = { duration: gameMinutes, enableYardage: true, fieldSizeInYard: fieldLength };
    return this.schedules.create(context, Object.assign(new CreateSchedule(), format, game), undefined);
  }

  /**
   * Writes the statistics of a game, as the players on the rosters now would have played it. The server writes them, not an
   * admin.
   * @returns false where a side has too few players for that
   */
  async play(
    context: RequestContext,
    { _id, teamId, teamTwoId }: Pick<ScheduleResponse, '_id' | 'teamId' | 'teamTwoId'>,
    script: Pick<GameScript, 'seed' | 'drives'>,
  ): Promise<boolean> {
    const home = await this.lineup(context, teamId);
    const away = teamTwoId === undefined ? undefined : await this.lineup(context, teamTwoId);
    if (home === undefined || away === undefined) return false;
    const { rows } = simulateGame({ ...script, lineups: [home, away] });
    await this.statistics.replace({ system: 'server' }, _id, rows);
    return true;
  }

  /** Whether a game has statistics. */
  async isPlayed(context: RequestContext, scheduleId: string): Promise<boolean> {
    return (await this.statistics.get(context, scheduleId, {})).total > 0;
  }

  private async lineup(context: RequestContext, teamId: string): Promise<Lineup | undefined> {
    const { data } = await this.players.list(context, teamId, { page: 1, limit: 100 });
    return lineupOf(data.map((player) => ({ id: player._id, position: player.position })));
  }
}
