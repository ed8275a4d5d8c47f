import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { IntegrationRoute, Rejects, RequiresScope } from '../common/context/access.decorators.js';
import { Context } from '../common/context/context.decorator.js';
import type { RequestContext } from '../common/context/request-context.js';
import { publicPrefix } from '../common/http/public-prefix.js';
import { RecordIdPipe } from '../common/validation/record-id.pipe.js';
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
      'Reads the statistics of a game, live or played: a row for each player and category. All rows at once, without paging.',
  })
  @ApiParam({ name: 'scheduleId', description: "The schedule's id.", example: '6650f1f77bcf86cd79943961' })
  @Rejects('scheduleNotFound')
  @ApiOkResponse({ type: PlayerStatisticsResponse, description: 'The rows.' })
  getPlayerStatistics(
    @Context() context: RequestContext,
    @Param('scheduleId', RecordIdPipe) scheduleId: string,
    @Query() query: PlayerStatisticsQuery,
  ): Promise<PlayerStatisticsResponse> {
    return this.statistics.get(context, scheduleId, query);
  }
}
