import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { publicPrefix } from '../../access/public-api.js';
import { ScheduleId } from '../schedules/schedule.dto.js';
import { PlayerStatisticsQuery, PlayerStatisticsResponse } from './player-statistics.dto.js';
import { PlayerStatisticsService } from './player-statistics.service.js';

@ApiTags('Player statistics')
@Controller(`${publicPrefix}/schedules/:scheduleId/player-statistics`)
@IntegrationRoute('player-statistics')
export class PlayerStatisticsController {
  constructor(private readonly statistics: PlayerStatisticsService) {}

  @Get()
  @RequiresScope('statistics:read')
  @ApiOperation({
    summary: "Get a game's player statistics",
    description:
      'Returns the statistics of a live or past game, one row for each player and category. The list is not paginated.',
  })
  @ApiErrors('scheduleNotFound', 'resourceForbidden', 'teamForbidden')
  @ApiOkResponse({ type: PlayerStatisticsResponse, description: 'The statistics of the game.' })
  getPlayerStatistics(
    @Context() context: RequestContext,
    @ScheduleId() scheduleId: string,
    @Query() query: PlayerStatisticsQuery,
  ): Promise<PlayerStatisticsResponse> {
    return this.statistics.get(context, scheduleId, query);
  }
}
