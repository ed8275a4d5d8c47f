import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { ListAllPlayersQuery, PlayerListResponse } from './player.dto.js';
import { PlayersService } from './players.service.js';

@ApiTags('Players')
@Controller(`${publicPrefix}/players`)
@IntegrationRoute('players')
export class AllPlayersController {
  constructor(private readonly players: PlayersService) {}

  @Get()
  @RequiresScope('players:read')
  @ApiOperation({
    summary: "List the organization's players",
    description: 'Lists the players of all teams, oldest first.',
  })
  @ApiErrors('teamForbidden')
  @ApiOkResponse({ type: PlayerListResponse, description: 'A page of players.' })
  listAllPlayers(@Context() context: RequestContext, @Query() query: ListAllPlayersQuery): Promise<PlayerListResponse> {
    return this.players.listAll(context, query);
  }
}
