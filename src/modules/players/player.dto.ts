import { DataDto, ListDto } from '../../common/http/paging.js';
import { CreateDto, ResponseDto, UpdateDto } from '../../common/validation/dto.js';
import { Player } from './player.schema.js';

const setByServer = ['teamId', 'organizationId'] as const;

/** Body of `POST /teams/{teamId}/players`. */
export class CreatePlayer extends CreateDto(Player, { omit: setByServer, optional: ['position'] }) {}

/** Body of `PATCH /teams/{teamId}/players/{playerId}`. */
export class UpdatePlayer extends UpdateDto(Player, { omit: setByServer }) {}

/** A player in responses. */
export class PlayerResponse extends ResponseDto(Player) {}

/** One player. */
export class PlayerDataResponse extends DataDto(PlayerResponse, 'The player.') {}

/** A page of players. */
export class PlayerListResponse extends ListDto(PlayerResponse, {
  data: 'The players on this page, oldest first.',
  total: 'The total number of players of the team.',
}) {}
