import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, IntegrationRoute, Rejects, RequiresScope } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles, type RequestContext } from '../../common/context/request-context.js';
import { BodyLimit } from '../../common/http/body.guard.js';
import { publicPrefix } from '../../common/http/public-api.js';
import { RecordIdPipe } from '../../common/validation/record-id.pipe.js';
import { PlayerStatisticsQuery, PlayerStatisticsResponse, ReplacePlayerStatistics } from './player-statistics.dto.js';
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

@ApiTags('Player statistics')
@Controller('schedules/:scheduleId/player-statistics')
@AdminRoute(...adminRoles)
export class AdminStatisticsController {
  constructor(private readonly statistics: PlayerStatisticsService) {}

  @Put()
  @BodyLimit({ bytes: 1_048_576 })
  @ApiOperation({
    summary: "Replace a game's player statistics",
    description:
      "Replaces the statistics of a game whole: all rows or, where one is wrong, none. A player who is already in them keeps name, number and team, also after the player's deletion.",
  })
  @ApiParam({ name: 'scheduleId', description: 'The game.', example: '6650f1f77bcf86cd79943961' })
  @Rejects('scheduleNotFound')
  @ApiOkResponse({ type: PlayerStatisticsResponse, description: 'The rows as they are now.' })
  replacePlayerStatistics(
    @Context() context: AdminContext,
    @Param('scheduleId', RecordIdPipe) scheduleId: string,
    @Body() body: ReplacePlayerStatistics,
  ): Promise<PlayerStatisticsResponse> {
    return this.statistics.replace(context, scheduleId, body.rows);
  }
}
