import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
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
import { TeamId } from '../teams/team.dto.js';
import {
  BulkPlayers,
  CreatePlayer,
  ListPlayersQuery,
  PlayerDataResponse,
  PlayerId,
  PlayerListResponse,
  PlayerResponse,
  PlayerRow,
  UpdatePlayer,
  UpsertPlayer,
} from './player.dto.js';
import { PlayersRepository } from './players.repository.js';
import { PlayersService } from './players.service.js';

@ApiTags('Players')
@Controller(`${publicPrefix}/teams/:teamId/players`)
@IntegrationRoute('players')
@ApiErrors('teamForbidden', 'teamNotFound')
export class PlayersController {
  constructor(private readonly players: PlayersService) {}

  @Get()
  @RequiresScope('players:read')
  @ApiOperation({
    summary: "List a team's players",
    description: "Lists the players on a team's roster, oldest first.",
  })
  @Returns(PlayerListResponse, 'A page of players.')
  listPlayers(@Context() context: RequestContext, @TeamId() teamId: string, @Query() query: ListPlayersQuery) {
    return this.players.list(context, teamId, query);
  }

  @Post()
  @RequiresScope('players:write')
  @Idempotent({ store: PlayersRepository, required: true })
  @ApiOperation({
    summary: 'Create a player',
    description: "Adds a player to a team's roster. The `idem-key` header makes the request safe to retry.",
  })
  @ApiErrors('externalIdTaken')
  @Returns(PlayerResponse, 'The created player.', 201)
  async createPlayer(@Context() context: RequestContext, @TeamId() teamId: string, @Body() body: CreatePlayer) {
    return this.players.create(context, { ...body, ...(await this.players.ofTeam(context, teamId)) });
  }

  @BulkUpsert('player', BulkPlayers)
  async bulkUpsertPlayers(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @Body(new BulkPipe(PlayerRow)) body: BulkRequest<PlayerRow>,
  ) {
    return this.players.bulkUpsert(context, body, await this.players.ofTeam(context, teamId));
  }

  @GetByExternalId('player', PlayerDataResponse)
  async getPlayerByExternalId(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @ExternalIdParam() externalId: string,
  ) {
    return this.players.getByExternalId(context, externalId, await this.players.ofTeam(context, teamId));
  }

  @Upsert('player', PlayerResponse)
  async upsertPlayer(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @ExternalIdParam() externalId: string,
    @Query() query: UpsertQuery,
    @Body() body: UpsertPlayer,
  ) {
    const placed = { ...body, ...(await this.players.ofTeam(context, teamId)) };
    return this.players.upsert(context, externalId, query, placed);
  }

  @DeleteByExternalId('player')
  async deletePlayerByExternalId(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @ExternalIdParam() externalId: string,
  ) {
    await this.players.removeByExternalId(context, externalId, await this.players.ofTeam(context, teamId));
    return { message: 'Player deleted' };
  }

  @Get(':playerId')
  @RequiresScope('players:read')
  @Conditional('read')
  @ApiOperation({ summary: 'Get a player', description: 'Returns a player of a team.' })
  @ApiErrors('playerNotFound')
  @Returns(PlayerDataResponse, 'The player.')
  async getPlayer(@Context() context: RequestContext, @TeamId() teamId: string, @PlayerId() id: string) {
    return { data: await this.players.get(context, teamId, id) };
  }

  @Patch(':playerId')
  @RequiresScope('players:write')
  @Conditional('update')
  @ApiOperation({
    summary: 'Update a player',
    description:
      'Updates the fields that you send. `null` clears `email`, `jerseyNumber`, `profilePicture` and `externalId`. `teamId` moves the player to another team of the organization, with the same `_id`; the path with the old team then returns 404. Statistics keep the team of their game.',
  })
  @ApiErrors('playerNotFound', 'externalIdTaken')
  @Returns(PlayerResponse, 'The updated player.')
  updatePlayer(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @PlayerId() id: string,
    @Body() body: UpdatePlayer,
  ) {
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
  @Returns(MessageResponse, 'The player was deleted.')
  async deletePlayer(@Context() context: RequestContext, @TeamId() teamId: string, @PlayerId() id: string) {
    await this.players.remove(context, teamId, id);
    return { message: 'Player deleted' };
  }
}
