import { DataDto, ListDto, ListQuery } from '../../http/paging.js';
import { ExternalIdField, RecordIdParam, TeamExternalIdField } from '../../validation/ids.js';
import { BulkDto, RowDto } from '../../records/bulk.dto.js';
import { BooleanField, DateField, RecordIdField, TeamIdField } from '../../validation/fields.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { Player } from './player.schema.js';

const playerId = ['playerId', 'The ID of the player.', '6650f1f77bcf86cd79943951'] as const;
export const PlayerId = () => RecordIdParam(...playerId, { plural: 'players' });
/** On routes of admins, which have no paths with external IDs. */
export const AnyPlayerId = () => RecordIdParam(...playerId);

const example = '6650f1f77bcf86cd79943941';
const ownTeamId = 'Your own ID of the team, instead of `teamId`.';
const setByServer = ['teamId', 'organizationId'] as const;

export class CreatePlayer extends CreateDto(Player, { omit: setByServer, optional: ['position'] }) {}

/** The team is the one in the path: only an update by ID moves a player. */
export class UpsertPlayer extends UpdateDto(Player, { omit: setByServer }) {}

export class UpdatePlayer extends UpdateDto(Player, { omit: setByServer }) {
  @TeamIdField({ description: 'Moves the player to another team of the organization.', example })
  teamId?: string;

  @TeamExternalIdField('teamId', ownTeamId)
  teamExternalId?: string;
}

export class PlayerRow extends RowDto(UpsertPlayer) {}

export class BulkPlayers extends BulkDto(PlayerRow) {}

/** The fields of a row that name its team. */
export const teamFields = ['teamId', 'teamExternalId'] as const;

export class RosterRow extends RowDto(UpsertPlayer, '`externalId` and that of the team') {
  @TeamIdField({
    description: 'The ID of the team. Either this or `teamExternalId` is required.',
    example,
    requiredUnless: 'teamExternalId',
  })
  teamId?: string;

  @TeamExternalIdField('teamId', ownTeamId)
  teamExternalId?: string;

  @BooleanField({
    description:
      '`true` moves the player from another team: the one that has a player with this `externalId` if this team has none. No other row of the request may have the same `externalId`; two requests at the same time that name a new player in two teams create two.',
    example: false,
  })
  move?: boolean;
}

export class BulkRosters extends BulkDto(RosterRow) {}

export class ListPlayersQuery extends ListQuery {
  @ExternalIdField({ description: 'List only the player with this `externalId`.' })
  externalId?: string;
}

export class ListAllPlayersQuery extends ListQuery {
  @TeamIdField({ description: 'List only players of this team.' })
  teamId?: string;

  @RecordIdField({ description: 'List only players whose team plays in this season.' })
  season?: string;

  @ExternalIdField({ description: 'List only players with this `externalId`: at most one per team.' })
  externalId?: string;

  @DateField({ description: 'List only players that were created or changed at or after this time.', query: true })
  updatedFrom?: Date;
}

export class PlayerResponse extends ResponseDto(Player) {}

export class PlayerDataResponse extends DataDto(PlayerResponse, 'The player.') {}

export class PlayerListResponse extends ListDto(PlayerResponse, {
  data: 'The players on this page, oldest first.',
  total: 'The total number of matching players.',
}) {}

export const toPlayerResponse: (player: Player) => PlayerResponse = jsonMapper(Player);
