import { Body, Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { ListQuery } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { type BulkRequest, MovingBulkResponse } from '../../records/bulk.dto.js';
import { BulkPipe } from '../../records/bulk.pipe.js';
import { Conditional } from '../../records/conditional.guard.js';
import { BulkRoute } from '../../records/routes.js';
import { ExternalIdParam } from '../../validation/ids.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { BulkRosters, PlayerListResponse, RosterRow, teamFields } from '../players/player.dto.js';
import { PlayersService } from '../players/players.service.js';
import { BulkSchedules, ScheduleDataResponse, ScheduleId, ScheduleRow } from '../schedules/schedule.dto.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { PlayerStatisticsResponse } from '../statistics/player-statistics.dto.js';
import { PlayerStatisticsService } from '../statistics/player-statistics.service.js';
import { AnyTeamId, BulkTeams, TeamListResponse, TeamRow } from '../teams/team.dto.js';
import { TeamsService } from '../teams/teams.service.js';

/** What an import in the console reads and writes: the same as with a key, but by a super admin, and audited. */
@ApiTags('Organizations')
@Controller('organizations/:organizationId')
@AdminRoute('superAdmin')
@ApiErrors('organizationNotFound')
export class OrganizationImportsController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly teams: TeamsService,
    private readonly players: PlayersService,
    private readonly schedules: SchedulesService,
    private readonly statistics: PlayerStatisticsService,
    private readonly audit: AuditTrail,
  ) {}

  @Get('teams')
  @ApiOperation({ summary: "List an organization's teams", description: 'Lists the teams, oldest first.' })
  @Returns(TeamListResponse, 'A page of teams.')
  async listOrganizationTeams(@Context() admin: AdminContext, @OrganizationId() id: string, @Query() query: ListQuery) {
    return this.teams.list(await this.contextOf(admin, id), query);
  }

  @Get('teams/:teamId/players')
  @ApiOperation({
    summary: "List the players of an organization's team",
    description: 'Lists the players, oldest first. The audit log records each player in the response.',
  })
  @ApiErrors('teamForbidden', 'teamNotFound')
  @Returns(PlayerListResponse, 'A page of players.')
  async listOrganizationPlayers(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @AnyTeamId() teamId: string,
    @Query() query: ListQuery,
  ) {
    const page = await this.players.list(await this.contextOf(admin, id), teamId, query);
    const playerIds = page.data.map(({ _id }) => _id);
    await this.audit.recordReads(admin, id, playerIds);
    return page;
  }

  @Get('schedules/by-external-id/:externalId')
  @ApiOperation({ summary: 'Get a schedule by its external ID', description: 'Returns a schedule of an organization.' })
  @ApiErrors('scheduleNotFound')
  @Returns(ScheduleDataResponse, 'The schedule.')
  async getOrganizationScheduleByExternalId(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @ExternalIdParam() externalId: string,
  ) {
    return this.schedules.getByExternalId(await this.contextOf(admin, id), externalId);
  }

  @Get('schedules/:scheduleId')
  @ApiOperation({ summary: "Get an organization's schedule", description: 'Returns a schedule of an organization.' })
  @ApiErrors('scheduleNotFound', 'resourceForbidden')
  @Returns(ScheduleDataResponse, 'The schedule.')
  async getOrganizationSchedule(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @ScheduleId() scheduleId: string,
  ) {
    return { data: await this.schedules.get(await this.contextOf(admin, id), scheduleId) };
  }

  @Get('schedules/:scheduleId/player-statistics')
  @Conditional('read')
  @ApiOperation({
    summary: "Get the player statistics of an organization's game",
    description:
      'Returns the statistics of a game, one row for each player and category. The audit log records each player in the response.',
  })
  @ApiErrors('scheduleNotFound', 'resourceForbidden')
  @Returns(PlayerStatisticsResponse, 'The statistics of the game.')
  async getOrganizationStatistics(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @ScheduleId() scheduleId: string,
  ) {
    const statistics = await this.statistics.get(await this.contextOf(admin, id), scheduleId, {});
    const playerIds = statistics.data.map(({ playerId }) => playerId);
    await this.audit.recordReads(admin, id, playerIds);
    return statistics;
  }

  @BulkRoute('teams/bulk', 'team', BulkTeams)
  async importTeams(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @Body(new BulkPipe(TeamRow)) body: BulkRequest<TeamRow>,
  ) {
    return this.teams.bulkUpsert(await this.startImport(admin, id, 'teams', body), body);
  }

  @BulkRoute('players/bulk', 'player', BulkRosters, MovingBulkResponse)
  async importPlayers(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @Body(new BulkPipe(RosterRow, teamFields)) body: BulkRequest<RosterRow>,
  ) {
    return this.players.bulkUpsertAll(await this.startImport(admin, id, 'players', body), body);
  }

  @BulkRoute('schedules/bulk', 'schedule', BulkSchedules)
  async importSchedules(
    @Context() admin: AdminContext,
    @OrganizationId() id: string,
    @Body(new BulkPipe(ScheduleRow)) body: BulkRequest<ScheduleRow>,
  ) {
    return this.schedules.bulkUpsert(await this.startImport(admin, id, 'schedules', body), body);
  }

  private contextOf(admin: AdminContext, organizationId: string) {
    return this.organizations.recordContextFor(admin, organizationId);
  }

  /** Records an import before its rows are written: they are no transaction, so that an event after them could be lost. */
  private async startImport(admin: AdminContext, id: string, records: string, { rows, dryRun }: BulkRequest<object>) {
    const context = await this.contextOf(admin, id);
    const changes = { records, rows: rows.length };
    const event = { action: 'importRecords', id, organizationId: id, changes } as const;
    if (!dryRun) await this.audit.recordBefore(admin, [event]);
    return context;
  }
}
