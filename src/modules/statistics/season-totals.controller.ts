import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { Versioned, type VersionedRead } from '../../records/versioned.interceptor.js';
import { SeasonId } from '../seasons/season.dto.js';
import { SeasonTotalsQuery, SeasonTotalsResponse } from './season-totals.dto.js';
import { SeasonTotalsService } from './season-totals.service.js';

@ApiTags('Player statistics')
@Controller(`${publicPrefix}/seasons/:seasonId/player-statistics`)
@IntegrationRoute('player-statistics')
export class SeasonTotalsController {
  constructor(private readonly totals: SeasonTotalsService) {}

  @Get()
  @RequiresScope('statistics:read')
  @Versioned()
  @ApiOperation({
    summary: "Get a season's player statistics",
    description:
      'Returns the totals of each player in one category over the games whose owning team plays in the season, except test games, scrimmages and cancelled games. Counters are added up, `longest…` is the greatest, and rates are computed from the totals.',
  })
  @ApiErrors('seasonNotFound', 'resourceForbidden', 'teamForbidden')
  @ApiOkResponse({ type: SeasonTotalsResponse, description: 'A page of totals.' })
  getSeasonStatistics(
    @Context() context: RequestContext,
    @SeasonId() seasonId: string,
    @Query() query: SeasonTotalsQuery,
  ): Promise<VersionedRead<SeasonTotalsResponse>> {
    return this.totals.get(context, seasonId, query);
  }
}
