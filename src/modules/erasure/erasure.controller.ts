import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { Returns } from '../../http/returns.decorator.js';
import { EraseOrganization, OrganizationId, OrganizationResponse } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { AnyPlayerId } from '../players/player.dto.js';
import { ErasedPlayerResponse, ErasePlayer, ExportPlayerQuery, PlayerExport } from './erasure.dto.js';
import { PlayerPrivacyService } from './player-privacy.service.js';

@ApiTags('Privacy')
@Controller()
@AdminRoute('superAdmin')
export class ErasureController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly players: PlayerPrivacyService,
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
    @AnyPlayerId() playerId: string,
    @Query() { organizationId }: ExportPlayerQuery,
  ) {
    return this.players.export(context, playerId, organizationId);
  }

  @Post('players/:playerId/erase')
  @ApiOperation({
    summary: 'Erase a player',
    description:
      'Erases a player, deleted or not, with the history and the stored response to its creation. Replaces the name in statistics with `Deleted player`, and returns which texts of teams and schedules still contain it. This cannot be undone.',
  })
  @ApiErrors('playerNotFound')
  @Returns(ErasedPlayerResponse, 'The player is erased.')
  async erasePlayer(
    @Context() context: AdminContext,
    @AnyPlayerId() playerId: string,
    @Body() { organizationId }: ErasePlayer,
  ) {
    const { mentions } = await this.players.erase(context, playerId, organizationId);
    return { message: 'Player erased', mentions };
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
