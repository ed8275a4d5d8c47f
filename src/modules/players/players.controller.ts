import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../common/context/request-context.js';
import { MessageResponse } from '../../common/http/paging.js';
import { publicPrefix } from '../../common/http/public-api.js';
import { ExternalIdPipe } from '../../common/validation/external-id.js';
import { RecordIdParam } from '../../common/validation/record-id.pipe.js';
import { Idempotent } from '../../idempotency/idempotency.interceptor.js';
import { BulkResponse } from '../../synchronization/bulk.dto.js';
import { Conditional, type Upserted } from '../../synchronization/conditional.interceptor.js';
import { BulkUpsert, GetByExternalId, Upsert, UpsertQuery } from '../../synchronization/routes.js';
import {
  BulkPlayers,
  CreatePlayer,
  ListPlayersQuery,
  PlayerDataResponse,
  PlayerListResponse,
  PlayerResponse,
  UpdatePlayer,
} from './player.dto.js';
import { PlayersRepository } from './players.repository.js';
import { PlayersService } from './players.service.js';

const PlayerId = () => RecordIdParam('playerId', 'The ID of the player.', '6650f1f77bcf86cd79943951');

@ApiTags('Players')
@Controller(`${publicPrefix}/teams/:teamId/players`)
@IntegrationRoute('players')
@ApiErrors('teamForbidden')
@ApiParam({ name: 'teamId', description: 'The ID of the team.', example: '6650f1f77bcf86cd79943941' })
export class PlayersController {
  constructor(private readonly players: PlayersService) {}

  @Get()
  @RequiresScope('players:read')
  @ApiOperation({
    summary: "List a team's players",
    description: "Lists the players on a team's roster, oldest first.",
  })
  @ApiOkResponse({ type: PlayerListResponse, description: 'A page of players.' })
  listPlayers(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Query() query: ListPlayersQuery,
  ): Promise<PlayerListResponse> {
    return this.players.list(context, teamId, query);
  }

  @Post()
  @RequiresScope('players:write')
  @Idempotent({ store: PlayersRepository, required: true })
  @Conditional('create')
  @ApiOperation({
    summary: 'Create a player',
    description: "Adds a player to a team's roster. The `idem-key` header makes the request safe to retry.",
  })
  @ApiErrors('externalIdTaken')
  @ApiCreatedResponse({ type: PlayerResponse, description: 'The created player.' })
  async createPlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Body() body: CreatePlayer,
  ): Promise<PlayerResponse> {
    return (await this.players.records(context, teamId)).create(body);
  }

  @BulkUpsert('player')
  async bulkUpsertPlayers(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Body() body: BulkPlayers,
  ): Promise<BulkResponse> {
    return (await this.players.records(context, teamId)).bulkUpsert(body);
  }

  @GetByExternalId('player', PlayerDataResponse)
  async getPlayerByExternalId(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Param('externalId', ExternalIdPipe) externalId: string,
  ): Promise<PlayerDataResponse> {
    return (await this.players.records(context, teamId)).get(externalId);
  }

  @Upsert('player', PlayerResponse)
  async upsertPlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Param('externalId', ExternalIdPipe) externalId: string,
    @Query() query: UpsertQuery,
    @Body() body: UpdatePlayer,
  ): Promise<Upserted<PlayerResponse>> {
    return (await this.players.records(context, teamId)).upsert(externalId, query, body);
  }

  @Get(':playerId')
  @RequiresScope('players:read')
  @Conditional('read')
  @ApiOperation({ summary: 'Get a player', description: 'Returns a player of a team.' })
  @ApiErrors('playerNotFound')
  @ApiOkResponse({ type: PlayerDataResponse, description: 'The player.' })
  async getPlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @PlayerId() id: string,
  ): Promise<PlayerDataResponse> {
    return { data: await this.players.get(context, teamId, id) };
  }

  @Patch(':playerId')
  @RequiresScope('players:write')
  @Conditional('update')
  @ApiOperation({
    summary: 'Update a player',
    description:
      'Updates the fields that you send. `null` clears `email`, `jerseyNumber`, `profilePicture` and `externalId`.',
  })
  @ApiErrors('playerNotFound', 'externalIdTaken')
  @ApiOkResponse({ type: PlayerResponse, description: 'The updated player.' })
  updatePlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @PlayerId() id: string,
    @Body() body: UpdatePlayer,
  ): Promise<PlayerResponse> {
    return this.players.update(context, teamId, id, body);
  }

  @Delete(':playerId')
  @RequiresScope('players:write')
  @Conditional('delete')
  @ApiOperation({
    summary: 'Delete a player',
    description: 'Removes a player from the roster. The statistics of past games keep the name of the player.',
  })
  @ApiErrors('playerNotFound')
  @ApiOkResponse({ type: MessageResponse, description: 'The player was deleted.' })
  async deletePlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @PlayerId() id: string,
  ): Promise<MessageResponse> {
    await this.players.remove(context, teamId, id);
    return { message: 'Player deleted' };
  }
}
