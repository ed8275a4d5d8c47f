import { Body, Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { publicPrefix } from '../../access/public-api.js';
import { Returns } from '../../http/returns.decorator.js';
import { type BulkRequest, MovingBulkResponse } from '../../records/bulk.dto.js';
import { BulkPipe } from '../../records/bulk.pipe.js';
import { BulkUpsert } from '../../records/routes.js';
import { BulkRosters, ListAllPlayersQuery, PlayerListResponse, RosterRow, teamFields } from './player.dto.js';
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
  @Returns(PlayerListResponse, 'A page of players.')
  listAllPlayers(@Context() context: RequestContext, @Query() query: ListAllPlayersQuery) {
    return this.players.listAll(context, query);
  }

  @ApiOperation({
    summary: 'Create, update, delete or move players of all teams',
    description:
      'Does the same as the bulk request of a team, with the team in each row, and moves players who change teams: see `move`. Someone who plays in several teams has a row for each, without `move`. An `externalId` can occur once for each team, and again after a row that deletes its player.',
  })
  @BulkUpsert('player', BulkRosters, MovingBulkResponse)
  bulkUpsertAllPlayers(
    @Context() context: RequestContext,
    @Body(new BulkPipe(RosterRow, teamFields)) body: BulkRequest<RosterRow>,
  ) {
    return this.players.bulkUpsertAll(context, body);
  }
}
