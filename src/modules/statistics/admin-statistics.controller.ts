import { Body, Controller, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, BodyLimit, Context } from '../../access/access.decorators.js';
import { type AdminContext, adminRoles } from '../../access/request-context.js';
import { ScheduleId } from '../schedules/schedule.dto.js';
import { PlayerStatisticsResponse, ReplacePlayerStatistics } from './player-statistics.dto.js';
import { PlayerStatisticsService } from './player-statistics.service.js';

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
  @ApiErrors('scheduleNotFound', 'roleForbidden')
  @ApiOkResponse({ type: PlayerStatisticsResponse, description: 'The new statistics of the game.' })
  replacePlayerStatistics(
    @Context() context: AdminContext,
    @ScheduleId() scheduleId: string,
    @Body() body: ReplacePlayerStatistics,
  ): Promise<PlayerStatisticsResponse> {
    return this.statistics.replace(context, scheduleId, body.rows);
  }
}
