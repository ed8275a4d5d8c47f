import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { Versioned, type VersionedRead } from '../../records/versioned.interceptor.js';
import { SeasonId } from '../seasons/season.dto.js';
import { StandingsQuery, StandingsResponse } from './standing.dto.js';
import { StandingsService } from './standings.service.js';

@ApiTags('Seasons')
@Controller(`${publicPrefix}/seasons`)
@IntegrationRoute('seasons')
export class StandingsController {
  constructor(private readonly standings: StandingsService) {}

  @Get(':seasonId/standings')
  @RequiresScope('schedules:read')
  @Versioned()
  @ApiOperation({
    summary: 'Get the standings of a season',
    description:
      'Ranks the teams of a season by their decided games against each other (`final` or `forfeited`). Games against guests, scrimmages and test games do not count. A forfeit is a loss for the side that forfeits and a win for the other. Archived teams are ranked only if they played. The list is not paginated.',
  })
  @ApiErrors('seasonNotFound', 'resourceForbidden')
  @ApiOkResponse({ type: StandingsResponse, description: 'The standings.' })
  getStandings(
    @Context() context: RequestContext,
    @SeasonId() seasonId: string,
    @Query() query: StandingsQuery,
  ): Promise<VersionedRead<StandingsResponse>> {
    return this.standings.get(context, seasonId, query);
  }
}
