import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AdminRoute,
  ApiErrors,
  BodyLimit,
  Context,
  IntegrationRoute,
  RequiresScope,
} from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import { type AdminContext, adminRoles, type RequestContext } from '../../access/request-context.js';
import { Returns } from '../../http/returns.decorator.js';
import { AnyScheduleId, ScheduleId } from '../schedules/schedule.dto.js';
import { Conditional } from '../../records/conditional.guard.js';
import { Versioned } from '../../records/versioned.interceptor.js';
import { SeasonId } from '../seasons/season.dto.js';
import {
  PlayerStatisticsQuery,
  PlayerStatisticsResponse,
  ReplacePlayerStatistics,
  StatisticsSideQuery,
} from './player-statistics.dto.js';
import { PlayerStatisticsService } from './player-statistics.service.js';
import { SeasonTotalsQuery, SeasonTotalsResponse } from './season-totals.dto.js';
import { SeasonTotalsService } from './season-totals.service.js';

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
  @Conditional('read')
  @ApiErrors('scheduleNotFound', 'resourceForbidden', 'teamForbidden')
  @Returns(PlayerStatisticsResponse, 'The statistics of the game.')
  getPlayerStatistics(
    @Context() context: RequestContext,
    @ScheduleId() scheduleId: string,
    @Query() query: PlayerStatisticsQuery,
  ) {
    return this.statistics.get(context, scheduleId, query);
  }

  @Put()
  @RequiresScope('statistics:write')
  @BodyLimit({ bytes: 1_048_576 })
  @Conditional('update')
  @ApiOperation({
    summary: "Replace a game's player statistics",
    description:
      'Replaces all statistics of a game, or with `teamId` those of one side, and returns the new rows. If one row is invalid, nothing changes. A player who already has statistics in the game keeps the stored name, number and team; any other has those of the time when the game started. If the player was in neither team then, `teamId` of the row or of the request states the side. A practice or a cancelled game has no statistics.',
  })
  @ApiErrors('scheduleNotFound', 'resourceForbidden', 'teamForbidden')
  @Returns(PlayerStatisticsResponse, 'The new rows.')
  writePlayerStatistics(
    @Context() context: RequestContext,
    @ScheduleId() scheduleId: string,
    @Body() body: ReplacePlayerStatistics,
    @Query() query: StatisticsSideQuery,
  ) {
    return this.statistics.write(context, scheduleId, query, body.rows);
  }
}

@ApiTags('Player statistics')
@Controller('schedules/:scheduleId/player-statistics')
@AdminRoute(...adminRoles)
export class AdminStatisticsController {
  constructor(private readonly statistics: PlayerStatisticsService) {}

  @Put()
  @BodyLimit({ bytes: 1_048_576 })
  @Conditional('adminUpdate')
  @ApiOperation({
    summary: "Replace a game's player statistics",
    description:
      'Replaces all statistics of a game. If one row is invalid, nothing changes. A player who already has statistics in the game keeps the stored name, number and team, even after the player was deleted. A practice or a cancelled game has no statistics.',
  })
  @ApiErrors('scheduleNotFound', 'roleForbidden')
  @Returns(PlayerStatisticsResponse, 'The new statistics of the game.')
  replacePlayerStatistics(
    @Context() context: AdminContext,
    @AnyScheduleId() scheduleId: string,
    @Body() body: ReplacePlayerStatistics,
  ) {
    return this.statistics.replace(context, scheduleId, body.rows);
  }
}

@ApiTags('Player statistics')
@Controller(`${publicPrefix}/seasons/:seasonId/player-statistics`)
@IntegrationRoute('player-statistics')
export class SeasonTotalsController {
  constructor(private readonly totals: SeasonTotalsService) {}

  @Get()
  @RequiresScope('statistics:read')
  @ApiOperation({
    summary: "Get a season's player statistics",
    description:
      'Returns the totals of each player in one category over the games of the season, except test games, scrimmages and cancelled games. Counters are added up, `longest…` is the greatest, and rates are computed from the games that track all of their counters.',
  })
  @ApiErrors('seasonNotFound', 'resourceForbidden', 'teamForbidden')
  @Versioned(SeasonTotalsResponse, 'A page of totals.')
  getSeasonStatistics(
    @Context() context: RequestContext,
    @SeasonId() seasonId: string,
    @Query() query: SeasonTotalsQuery,
  ) {
    return this.totals.get(context, seasonId, query);
  }
}
