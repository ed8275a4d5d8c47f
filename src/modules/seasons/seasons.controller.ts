import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { AdminContext, RequestContext } from '../../access/request-context.js';
import { Returns } from '../../http/returns.decorator.js';
import { RecordIdParam } from '../../validation/ids.js';
import { Conditional } from '../../records/conditional.guard.js';
import { Idempotent } from '../../records/idempotency.interceptor.js';
import {
  AllSeasonsResponse,
  CreateAnySeason,
  CreateSeason,
  ListAllSeasonsQuery,
  ListSeasonsQuery,
  SeasonId,
  SeasonListResponse,
  SeasonResponse,
  UpdateAnySeason,
  UpdateSeason,
} from './season.dto.js';
import { SeasonsRepository } from './seasons.repository.js';
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
  @Returns(SeasonListResponse, 'A page of seasons.')
  listSeasons(@Context() context: RequestContext, @Query() query: ListSeasonsQuery) {
    return this.seasons.list(context, query);
  }

  @Post()
  @RequiresScope('seasons:write')
  @Idempotent({ store: SeasonsRepository, required: false })
  @ApiOperation({ summary: 'Create a season', description: 'Creates a season of the organization.' })
  @ApiErrors('externalIdTaken')
  @Returns(SeasonResponse, 'The created season.', 201)
  createSeason(@Context() context: RequestContext, @Body() body: CreateSeason) {
    return this.seasons.createOwn(context, body);
  }

  @Patch(':seasonId')
  @RequiresScope('seasons:write')
  @Conditional('update')
  @ApiOperation({
    summary: 'Update a season',
    description:
      'Updates the fields that you send. `null` clears `externalId` and `standings`. The end must be after the start. Seasons without `organizationId` are shared, and only super admins can change them.',
  })
  @ApiErrors('seasonNotFound', 'resourceForbidden', 'externalIdTaken')
  @Returns(SeasonResponse, 'The updated season.')
  updateSeason(@Context() context: RequestContext, @SeasonId() id: string, @Body() body: UpdateSeason) {
    return this.seasons.update(context, id, body);
  }
}

@ApiTags('Seasons')
@Controller('seasons')
@AdminRoute('superAdmin')
export class AdminSeasonsController {
  constructor(private readonly seasons: SeasonsService) {}

  @Post()
  @ApiOperation({
    summary: 'Create a season',
    description: 'Creates a season for one organization or, without `organizationId`, for all.',
  })
  @ApiErrors('organizationNotFound')
  @Returns(SeasonResponse, 'The created season.', 201)
  createAnySeason(@Context() context: AdminContext, @Body() body: CreateAnySeason) {
    return this.seasons.create(context, body);
  }

  @Get()
  @ApiOperation({
    summary: 'List all seasons',
    description: 'Lists the seasons of one organization or, without `organizationId`, of all, newest first.',
  })
  @ApiErrors('organizationNotFound')
  @Returns(AllSeasonsResponse, 'A page of seasons.')
  listAllSeasons(@Query() query: ListAllSeasonsQuery) {
    return this.seasons.listAll(query);
  }

  @Patch(':id')
  @Conditional('adminUpdate')
  @ApiOperation({
    summary: 'Update a season',
    description:
      'Changes the name, the start, the end or the rules of the standings of a season; `null` clears `standings`. The end must be after the start.',
  })
  @ApiErrors('seasonNotFound')
  @Returns(SeasonResponse, 'The updated season.')
  updateAnySeason(
    @Context() context: AdminContext,
    @RecordIdParam('id', 'The ID of the season.', '6650f1f77bcf86cd79943931') id: string,
    @Body() body: UpdateAnySeason,
  ) {
    return this.seasons.update(context, id, body);
  }
}
