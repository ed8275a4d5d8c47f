import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, ApiErrors } from '../../access/access.decorators.js';
import type { AdminContext } from '../../common/context/request-context.js';
import { PageQuery } from '../../common/http/paging.js';
import { AllSeasonsResponse, CreateSeason, SeasonResponse } from './season.dto.js';
import { SeasonsService } from './seasons.service.js';

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
  @ApiCreatedResponse({ type: SeasonResponse, description: 'The created season.' })
  createSeason(@Context() context: AdminContext, @Body() body: CreateSeason): Promise<SeasonResponse> {
    return this.seasons.create(context, body);
  }

  @Get()
  @ApiOperation({ summary: 'List all seasons', description: 'Lists the seasons of all organizations, newest first.' })
  @ApiOkResponse({ type: AllSeasonsResponse, description: 'A page of seasons.' })
  listAllSeasons(@Query() page: PageQuery): Promise<AllSeasonsResponse> {
    return this.seasons.listAll(page);
  }
}
