import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../common/context/request-context.js';
import { publicPrefix } from '../../common/http/public-api.js';
import { Idempotent } from '../../idempotency/idempotency.interceptor.js';
import { CreateTeam, ListTeamsQuery, TeamListResponse, TeamResponse } from './team.dto.js';
import { TeamsRepository } from './teams.repository.js';
import { TeamsService } from './teams.service.js';

@ApiTags('Teams')
@Controller(`${publicPrefix}/teams`)
@IntegrationRoute('teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Get()
  @RequiresScope('teams:read')
  @ApiOperation({ summary: 'List teams', description: "Lists the organization's teams, oldest first." })
  @ApiOkResponse({ type: TeamListResponse, description: 'A page of teams.' })
  listTeams(@Context() context: RequestContext, @Query() query: ListTeamsQuery): Promise<TeamListResponse> {
    return this.teams.list(context, query);
  }

  @Post()
  @RequiresScope('teams:write')
  @Idempotent({ store: TeamsRepository, required: false })
  @ApiOperation({ summary: 'Create a team', description: 'Creates a team in a season.' })
  @ApiErrors('seasonNotFound', 'resourceForbidden')
  @ApiCreatedResponse({ type: TeamResponse, description: 'The created team.' })
  createTeam(@Context() context: RequestContext, @Body() body: CreateTeam): Promise<TeamResponse> {
    return this.teams.create(context, body);
  }
}
