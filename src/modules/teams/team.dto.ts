import { DataDto, ListDto, ListQuery } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { ExternalIdField, RecordIdParam } from '../../validation/ids.js';
import { BooleanField, DateField, RecordIdField } from '../../validation/fields.js';
import { BulkDto, RowDto } from '../../records/bulk.dto.js';
import { Team } from './team.schema.js';

const teamId = ['teamId', 'The ID of the team.', '6650f1f77bcf86cd79943941'] as const;
export const TeamId = () => RecordIdParam(...teamId, { plural: 'teams' });
/** On routes of admins, which have no paths with external IDs of teams. */
export const AnyTeamId = () => RecordIdParam(...teamId);

export class CreateTeam extends CreateDto(Team, { omit: ['isArchived', 'organizationId'] }) {}

/** Also the body of an upsert. */
export class UpdateTeam extends UpdateDto(Team, { omit: ['organizationId'] }) {}

export class TeamRow extends RowDto(UpdateTeam) {}

export class BulkTeams extends BulkDto(TeamRow) {}

/** Query of `GET /teams`. A filter of a stored field is one more field here. */
export class ListTeamsQuery extends ListQuery {
  @RecordIdField({ description: 'List only teams of this season.' })
  season?: string;

  @BooleanField({ description: 'List only teams that are archived, or only those that are not.', query: true })
  isArchived?: boolean;

  @ExternalIdField({ description: 'List only the team with this `externalId`.' })
  externalId?: string;

  @DateField({ description: 'List only teams that were created or changed at or after this time.', query: true })
  updatedFrom?: Date;
}

export class TeamResponse extends ResponseDto(Team) {}

export class TeamDataResponse extends DataDto(TeamResponse, 'The team.') {}

export class TeamListResponse extends ListDto(TeamResponse, {
  data: 'The teams on this page, oldest first.',
  total: 'The total number of teams.',
}) {}

export const toTeamResponse: (team: Team) => TeamResponse = jsonMapper(Team);
