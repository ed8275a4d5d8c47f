import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../common/context/request-context.js';
import { ListQuery, MessageResponse } from '../../common/http/paging.js';
import { publicPrefix } from '../../common/http/public-api.js';
import { RecordIdPipe } from '../../common/validation/record-id.pipe.js';
import { Idempotent } from '../../idempotency/idempotency.interceptor.js';
import { CreatePlayer, PlayerDataResponse, PlayerListResponse, PlayerResponse, UpdatePlayer } from './player.dto.js';
import { PlayersRepository } from './players.repository.js';
import { PlayersService } from './players.service.js';

const playerId = { name: 'playerId', description: 'The ID of the player.', example: '6650f1f77bcf86cd79943951' };

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
    @Query() query: ListQuery,
  ): Promise<PlayerListResponse> {
    return this.players.list(context, teamId, query);
  }

  @Post()
  @RequiresScope('players:write')
  @Idempotent({ store: PlayersRepository, required: true })
  @ApiOperation({
    summary: 'Create a player',
    description: "Adds a player to a team's roster. The `idem-key` header makes the request safe to retry.",
  })
  @ApiCreatedResponse({ type: PlayerResponse, description: 'The created player.' })
  createPlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Body() body: CreatePlayer,
  ): Promise<PlayerResponse> {
    return this.players.create(context, teamId, body);
  }

  @Get(':playerId')
  @RequiresScope('players:read')
  @ApiOperation({ summary: 'Get a player', description: 'Returns a player of a team.' })
  @ApiParam(playerId)
  @ApiErrors('playerNotFound')
  @ApiOkResponse({ type: PlayerDataResponse, description: 'The player.' })
  async getPlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Param('playerId', RecordIdPipe) id: string,
  ): Promise<PlayerDataResponse> {
    return { data: await this.players.get(context, teamId, id) };
  }

  @Patch(':playerId')
  @RequiresScope('players:write')
  @ApiOperation({
    summary: 'Update a player',
    description: 'Updates the fields that you send. `null` clears `email`, `jerseyNumber` and `profilePicture`.',
  })
  @ApiParam(playerId)
  @ApiErrors('playerNotFound')
  @ApiOkResponse({ type: PlayerResponse, description: 'The updated player.' })
  updatePlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Param('playerId', RecordIdPipe) id: string,
    @Body() body: UpdatePlayer,
  ): Promise<PlayerResponse> {
    return this.players.update(context, teamId, id, body);
  }

  @Delete(':playerId')
  @RequiresScope('players:write')
  @ApiOperation({
    summary: 'Delete a player',
    description: 'Removes a player from the roster. The statistics of past games keep the name of the player.',
  })
  @ApiParam(playerId)
  @ApiErrors('playerNotFound')
  @ApiOkResponse({ type: MessageResponse, description: 'The player was deleted.' })
  async deletePlayer(
    @Context() context: RequestContext,
    @Param('teamId') teamId: string,
    @Param('playerId', RecordIdPipe) id: string,
  ): Promise<MessageResponse> {
    await this.players.remove(context, teamId, id);
    return { message: 'Player deleted' };
  }
}
