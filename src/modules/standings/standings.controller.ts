import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { AdminContext, Tenant, RequestContext } from '../../access/request-context.js';
import { ListQuery } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { Versioned } from '../../records/versioned.interceptor.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { ListSeasonSchedulesQuery, ScheduleListResponse } from '../schedules/schedule.dto.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { SeasonDataResponse, SeasonId, SeasonListResponse } from '../seasons/season.dto.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { AnyTeamId } from '../teams/team.dto.js';
import { PlaceDataResponse, StandingsQuery, StandingsResponse } from './standing.dto.js';
import { StandingsService } from './standings.service.js';

@ApiTags('Seasons')
@Controller(`${publicPrefix}/seasons`)
@IntegrationRoute('seasons')
export class StandingsController {
  constructor(private readonly standings: StandingsService) {}

  @Get(':seasonId/standings')
  @RequiresScope('schedules:read')
  @ApiOperation({
    summary: 'Get the standings of a season',
    description:
      'Ranks the teams of a season by their decided games against each other (`final` or `forfeited`). Games against guests, scrimmages and test games do not count. A forfeit is a loss for the side that forfeits and a win for the other. Teams without games are last. Archived teams, and those that have left the season, are ranked only if they played. The rules are those of the season (`standings`); query parameters override single ones. The list is not paginated.',
  })
  @ApiErrors('seasonNotFound', 'resourceForbidden')
  @Versioned(StandingsResponse, 'The standings.')
  getStandings(@Context() context: RequestContext, @SeasonId() seasonId: string, @Query() query: StandingsQuery) {
    return this.standings.get(context, seasonId, query);
  }
}

/** Shows super admins what the keys of an organization read of its seasons. */
@ApiTags('Seasons')
@Controller('organizations/:organizationId/seasons')
@AdminRoute('superAdmin')
@ApiErrors('organizationNotFound')
export class OrganizationSeasonsController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly seasons: SeasonsService,
    private readonly standings: StandingsService,
    private readonly schedules: SchedulesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: "List an organization's seasons",
    description: 'Lists the seasons that an organization can use: shared seasons and its own, newest first.',
  })
  @Returns(SeasonListResponse, 'A page of seasons.')
  async listOrganizationSeasons(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @Query() query: ListQuery,
  ) {
    return this.seasons.list(await this.organizations.tenantFor(context, organizationId), query);
  }

  @Get(':seasonId')
  @ApiOperation({
    summary: "Get an organization's season",
    description: "Returns a shared season or one of the organization's own.",
  })
  @ApiErrors('seasonNotFound')
  @Returns(SeasonDataResponse, 'The season.')
  async getOrganizationSeason(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @SeasonId() seasonId: string,
  ) {
    return { data: await this.seasons.get(await this.organizations.tenantFor(context, organizationId), seasonId) };
  }

  @Get(':seasonId/standings')
  @ApiOperation({
    summary: "Get an organization's standings",
    description:
      "Ranks the organization's teams of a season as `GET /v1/public-api/seasons/{seasonId}/standings` does. The list is not paginated.",
  })
  @ApiErrors('seasonNotFound')
  @Returns(StandingsResponse, 'The standings.')
  async getOrganizationStandings(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @SeasonId() seasonId: string,
    @Query() query: StandingsQuery,
  ) {
    const tenant = await this.findTenant(context, organizationId, seasonId);
    return (await this.standings.get(tenant, seasonId, query)).read();
  }

  @Get(':seasonId/standings/:teamId')
  @ApiOperation({
    summary: 'Get why a team has its place',
    description:
      'Returns the teams that were equal when a criterion put the team above the next one, with the values of all criteria until then.',
  })
  @ApiErrors('seasonNotFound', 'teamNotFound')
  @Returns(PlaceDataResponse, 'Why the team has its place.')
  async getOrganizationPlace(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @SeasonId() seasonId: string,
    @AnyTeamId() teamId: string,
    @Query() query: StandingsQuery,
  ) {
    const tenant = await this.findTenant(context, organizationId, seasonId);
    return (await this.standings.explain(tenant, seasonId, query, teamId)).read();
  }

  @Get(':seasonId/schedules')
  @ApiOperation({
    summary: "List an organization's schedules of a season",
    description: 'Lists the schedules that were in the season when they started, earliest start first.',
  })
  @ApiErrors('seasonNotFound', 'teamForbidden')
  @Returns(ScheduleListResponse, 'A page of schedules.')
  async listOrganizationSchedules(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @SeasonId() seasonId: string,
    @Query() query: ListSeasonSchedulesQuery,
  ) {
    const tenant = await this.findTenant(context, organizationId, seasonId);
    return this.schedules.list(tenant, Object.assign(query, { season: seasonId }));
  }

  private async findTenant(context: AdminContext, organizationId: string, seasonId: string): Promise<Tenant> {
    const tenant = await this.organizations.tenantFor(context, organizationId);
    await this.seasons.get(tenant, seasonId);
    return tenant;
  }
}
