import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { publicPrefix } from '../../access/public-api.js';
import { ExternalIdParam } from '../../validation/ids.js';
import { Idempotent } from '../../records/idempotency.interceptor.js';
import { Conditional } from '../../records/conditional.guard.js';
import type { BulkRequest } from '../../records/bulk.dto.js';
import { BulkPipe } from '../../records/bulk.pipe.js';
import { BulkUpsert, DeleteByExternalId, GetByExternalId, Upsert, UpsertQuery } from '../../records/routes.js';
import {
  BulkTeams,
  CreateTeam,
  ListTeamsQuery,
  TeamDataResponse,
  TeamId,
  TeamListResponse,
  TeamResponse,
  TeamRow,
  UpdateTeam,
} from './team.dto.js';
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
  @Returns(TeamListResponse, 'A page of teams.')
  listTeams(@Context() context: RequestContext, @Query() query: ListTeamsQuery) {
    return this.teams.list(context, query);
  }

  @Post()
  @RequiresScope('teams:write')
  @Idempotent({ store: TeamsRepository, required: false })
  @ApiOperation({ summary: 'Create a team', description: 'Creates a team in a season.' })
  @ApiErrors('seasonNotFound', 'resourceForbidden', 'externalIdTaken')
  @Returns(TeamResponse, 'The created team.', 201)
  createTeam(@Context() context: RequestContext, @Body() body: CreateTeam) {
    return this.teams.create(context, body);
  }

  @BulkUpsert('team', BulkTeams)
  bulkUpsertTeams(@Context() context: RequestContext, @Body(new BulkPipe(TeamRow)) body: BulkRequest<TeamRow>) {
    return this.teams.bulkUpsert(context, body);
  }

  @GetByExternalId('team', TeamDataResponse)
  getTeamByExternalId(@Context() context: RequestContext, @ExternalIdParam() externalId: string) {
    return this.teams.getByExternalId(context, externalId);
  }

  @Upsert('team', TeamResponse)
  @ApiErrors('seasonNotFound', 'resourceForbidden')
  upsertTeam(
    @Context() context: RequestContext,
    @ExternalIdParam() externalId: string,
    @Query() query: UpsertQuery,
    @Body() body: UpdateTeam,
  ) {
    return this.teams.upsert(context, externalId, query, body);
  }

  @DeleteByExternalId('team')
  @ApiErrors('teamInUse')
  async deleteTeamByExternalId(@Context() context: RequestContext, @ExternalIdParam() externalId: string) {
    await this.teams.removeByExternalId(context, externalId);
    return { message: 'Team deleted' };
  }

  @Get(':teamId')
  @RequiresScope('teams:read')
  @Conditional('read')
  @ApiOperation({ summary: 'Get a team', description: 'Returns a team, including an archived one.' })
  @ApiErrors('teamForbidden', 'teamNotFound')
  @Returns(TeamDataResponse, 'The team.')
  async getTeam(@Context() context: RequestContext, @TeamId() id: string) {
    return { data: await this.teams.get(context, id) };
  }

  @Patch(':teamId')
  @RequiresScope('teams:write')
  @Conditional('update')
  @ApiOperation({
    summary: 'Update a team',
    description:
      'Updates the fields that you send. `null` clears `logoUrl` and `externalId`. An archived team keeps its players and schedules. A new name also becomes the `teamTwoName` of schedules that have not ended, are linked to the team and have its old name.',
  })
  @ApiErrors('teamForbidden', 'teamNotFound', 'seasonNotFound', 'resourceForbidden', 'externalIdTaken')
  @Returns(TeamResponse, 'The updated team.')
  updateTeam(@Context() context: RequestContext, @TeamId() id: string, @Body() body: UpdateTeam) {
    return this.teams.update(context, id, body);
  }

  @Delete(':teamId')
  @RequiresScope('teams:write')
  @Conditional('delete')
  @ApiOperation({
    summary: 'Delete a team',
    description:
      'Deletes a team that has no players, and no schedules as owner or opponent; archive any other. It takes about a second, in which no player or schedule can be added.',
  })
  @ApiErrors('teamForbidden', 'teamNotFound', 'teamInUse')
  @Returns(MessageResponse, 'The team was deleted.')
  async deleteTeam(@Context() context: RequestContext, @TeamId() id: string) {
    await this.teams.remove(context, id);
    return { message: 'Team deleted' };
  }
}
