import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { ListQuery } from '../../http/paging.js';
import { publicPrefix } from '../../access/public-api.js';
import { SeasonListResponse } from './season.dto.js';
import { SeasonsService } from './seasons.service.js';

@ApiTags('Seasons')
@Controller(`${publicPrefix}/seasons`)
@IntegrationRoute('seasons')
export class SeasonsController {
  constructor(private readonly seasons: SeasonsService) {}

  @Get()
  @RequiresScope('seasons:read')
  @ApiOperation({
    summary: 'List seasons',
    description: "Lists shared seasons and the organization's own, newest first.",
  })
  @ApiOkResponse({ type: SeasonListResponse, description: 'A page of seasons.' })
  listSeasons(@Context() context: RequestContext, @Query() query: ListQuery): Promise<SeasonListResponse> {
    return this.seasons.list(context, query);
  }
}
