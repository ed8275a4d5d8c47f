import { Body, Controller, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Rejects } from '../common/context/access.decorators.js';
import { Context } from '../common/context/context.decorator.js';
import { type AdminContext, adminRoles } from '../common/context/request-context.js';
import { BodyLimit } from '../common/http/body.guard.js';
import { RecordIdPipe } from '../common/validation/record-id.pipe.js';
import { PlayerStatisticsResponse, ReplacePlayerStatistics } from './player-statistics.dto.js';
import { PlayerStatisticsService } from './player-statistics.service.js';

const megabyte = 1_048_576;

@ApiTags('Player statistics')
@Controller('schedules/:scheduleId/player-statistics')
@AdminRoute(...adminRoles)
export class AdminStatisticsController {
  constructor(private readonly statistics: PlayerStatisticsService) {}

  @Put()
  @BodyLimit({ bytes: megabyte })
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
