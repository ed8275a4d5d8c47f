import { DataDto, ListDto, ListQuery } from '../../http/paging.js';
import { ExternalIdField } from '../../validation/ids.js';
import { BulkDto } from '../../records/bulk.dto.js';
import { CreateDto, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { Player } from './player.schema.js';

const setByServer = ['teamId', 'organizationId'] as const;

/** Body of `POST /teams/{teamId}/players`. */
export class CreatePlayer extends CreateDto(Player, { omit: setByServer, optional: ['position'] }) {}

/** Body of `PATCH /teams/{teamId}/players/{playerId}`, and of an upsert. */
export class UpdatePlayer extends UpdateDto(Player, { omit: setByServer }) {}

export class PlayerRow extends UpdateDto(Player, { omit: setByServer, required: ['externalId'] }) {}

/** Body of `POST /teams/{teamId}/players/bulk`. */
export class BulkPlayers extends BulkDto(PlayerRow) {}

/** Query of `GET /teams/{teamId}/players`. */
export class ListPlayersQuery extends ListQuery {
  @ExternalIdField({ description: 'List only the player with this `externalId`.' })
  externalId?: string;
}

export class PlayerResponse extends ResponseDto(Player) {}

export class PlayerDataResponse extends DataDto(PlayerResponse, 'The player.') {}

export class PlayerListResponse extends ListDto(PlayerResponse, {
  data: 'The players on this page, oldest first.',
  total: 'The total number of players of the team.',
}) {}
