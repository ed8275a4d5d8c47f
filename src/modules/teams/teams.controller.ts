import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../common/context/request-context.js';
import { publicPrefix } from '../../common/http/public-api.js';
import { ExternalIdPipe } from '../../common/validation/external-id.js';
import { Idempotent } from '../../idempotency/idempotency.interceptor.js';
import { BulkResponse } from '../../synchronization/bulk.dto.js';
import { Conditional, type Upserted } from '../../synchronization/conditional.interceptor.js';
import { BulkUpsert, GetByExternalId, Upsert, UpsertQuery } from '../../synchronization/routes.js';
import {
  BulkTeams,
  CreateTeam,
  ListTeamsQuery,
  TeamDataResponse,
  TeamListResponse,
  TeamResponse,
  UpdateTeam,
} from './team.dto.js';
import { TeamsRepository } from './teams.repository.js';
import { TeamsService } from './teams.service.js';

const teamId = { name: 'teamId', description: 'The ID of the team.', example: '6650f1f77bcf86cd79943941' };

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
  @Conditional('create')
  @ApiOperation({ summary: 'Create a team', description: 'Creates a team in a season.' })
  @ApiErrors('seasonNotFound', 'resourceForbidden', 'externalIdTaken')
  @ApiCreatedResponse({ type: TeamResponse, description: 'The created team.' })
  createTeam(@Context() context: RequestContext, @Body() body: CreateTeam): Promise<TeamResponse> {
    return this.teams.records(context).create(body);
  }

  @BulkUpsert('team')
  bulkUpsertTeams(@Context() context: RequestContext, @Body() body: BulkTeams): Promise<BulkResponse> {
    return this.teams.records(context).bulkUpsert(body);
  }

  @GetByExternalId('team', TeamDataResponse)
  getTeamByExternalId(
    @Context() context: RequestContext,
    @Param('externalId', ExternalIdPipe) externalId: string,
  ): Promise<TeamDataResponse> {
    return this.teams.records(context).get(externalId);
  }

  @Upsert('team', TeamResponse)
  @ApiErrors('seasonNotFound', 'resourceForbidden')
  upsertTeam(
    @Context() context: RequestContext,
    @Param('externalId', ExternalIdPipe) externalId: string,
    @Query() query: UpsertQuery,
    @Body() body: UpdateTeam,
  ): Promise<Upserted<TeamResponse>> {
    return this.teams.records(context).upsert(externalId, query, body);
  }

  @Get(':teamId')
  @RequiresScope('teams:read')
  @Conditional('read')
  @ApiOperation({ summary: 'Get a team', description: 'Returns a team, also if it is archived.' })
  @ApiParam(teamId)
  @ApiErrors('teamForbidden')
  @ApiOkResponse({ type: TeamDataResponse, description: 'The team.' })
  async getTeam(@Context() context: RequestContext, @Param('teamId') id: string): Promise<TeamDataResponse> {
    return { data: await this.teams.get(context, id) };
  }

  @Patch(':teamId')
  @RequiresScope('teams:write')
  @Conditional('update')
  @ApiOperation({
    summary: 'Update a team',
    description:
      'Updates the fields that you send. `null` clears `logoUrl` and `externalId`. An archived team keeps its players and schedules.',
  })
  @ApiParam(teamId)
  @ApiErrors('teamForbidden', 'seasonNotFound', 'resourceForbidden', 'externalIdTaken')
  @ApiOkResponse({ type: TeamResponse, description: 'The updated team.' })
  updateTeam(
    @Context() context: RequestContext,
    @Param('teamId') id: string,
    @Body() body: UpdateTeam,
  ): Promise<TeamResponse> {
    return this.teams.update(context, id, body);
  }
}
