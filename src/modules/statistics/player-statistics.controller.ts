import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
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
      'Returns the statistics of a live or past game, one row for each player and category. The list is not paginated.',
  })
  @ApiParam({ name: 'scheduleId', description: 'The ID of the schedule.', example: '6650f1f77bcf86cd79943961' })
  @ApiErrors('scheduleNotFound', 'resourceForbidden', 'teamForbidden')
  @ApiOkResponse({ type: PlayerStatisticsResponse, description: 'The statistics of the game.' })
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
      'Replaces all statistics of a game. If one row is invalid, nothing changes. A player who already has statistics in the game keeps the stored name, number and team, even after the player was deleted.',
  })
  @ApiParam({ name: 'scheduleId', description: 'The ID of the schedule.', example: '6650f1f77bcf86cd79943961' })
  @ApiErrors('scheduleNotFound', 'roleForbidden')
  @ApiOkResponse({ type: PlayerStatisticsResponse, description: 'The new statistics of the game.' })
  replacePlayerStatistics(
    @Context() context: AdminContext,
    @Param('scheduleId', RecordIdPipe) scheduleId: string,
    @Body() body: ReplacePlayerStatistics,
  ): Promise<PlayerStatisticsResponse> {
    return this.statistics.replace(context, scheduleId, body.rows);
  }
}
