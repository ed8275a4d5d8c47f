import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { EraseOrganization, OrganizationId, OrganizationResponse } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { PlayerId } from '../players/player.dto.js';
import { PlayerStatisticsService } from '../statistics/player-statistics.service.js';
import { ErasePlayer, ExportPlayerQuery, PlayerExport } from './erasure.dto.js';
import { PlayerExportService } from './player-export.service.js';

@ApiTags('Privacy')
@Controller()
@AdminRoute('superAdmin')
export class ErasureController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly statistics: PlayerStatisticsService,
    private readonly exports: PlayerExportService,
  ) {}

  @Get('players/:playerId/export')
  @ApiOperation({
    summary: 'Export a player',
    description: 'Returns everything that is stored about a player, deleted or not. The audit log records it.',
  })
  @ApiErrors('playerNotFound')
  @Returns(PlayerExport, 'Everything that is stored about the player.')
  exportPlayer(
    @Context() context: AdminContext,
    @PlayerId() playerId: string,
    @Query() { organizationId }: ExportPlayerQuery,
  ) {
    return this.exports.export(context, playerId, organizationId);
  }

  @Post('players/:playerId/erase')
  @ApiOperation({
    summary: 'Erase a player',
    description:
      'Erases a player, deleted or not, and the stored response to its creation. Replaces the name in statistics with `Deleted player`. This cannot be undone.',
  })
  @ApiErrors('playerNotFound')
  @Returns(MessageResponse, 'The player is erased.')
  async erasePlayer(
    @Context() context: AdminContext,
    @PlayerId() playerId: string,
    @Body() { organizationId }: ErasePlayer,
  ) {
    await this.statistics.erasePlayer(context, playerId, organizationId);
    return { message: 'Player erased' };
  }

  @Post('organizations/:organizationId/erase')
  @ApiOperation({
    summary: 'Erase an organization',
    description:
      'Starts to erase a disabled organization with all its records, keys and users. The erasure cannot be stopped or undone. It takes at least 30 seconds and is complete when `GET /organizations/{organizationId}` returns 404. The audit events stay, with `Erased user` instead of names and emails of its users.',
  })
  @ApiErrors('organizationNotFound', 'organizationEnabled')
  @Returns(OrganizationResponse, 'The organization, which is being erased.', 202)
  eraseOrganization(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @Body() { name }: EraseOrganization,
  ) {
    return this.organizations.startErasure(context, organizationId, name);
  }
}
