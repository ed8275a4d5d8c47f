import { ListDto, ListQuery } from '../../common/http/paging.js';
import { CreateDto, ResponseDto } from '../../common/validation/dto.js';
import { Team } from './team.schema.js';

/** Body of `POST /teams`. */
export class CreateTeam extends CreateDto(Team, { omit: ['isArchived', 'organizationId'] }) {}

/** Query of `GET /teams`. A filter of a stored field is one more field here. */
export class ListTeamsQuery extends ListQuery {}

/** A team in responses. */
export class TeamResponse extends ResponseDto(Team) {}

/** A page of teams. */
export class TeamListResponse extends ListDto(TeamResponse, {
  data: 'The teams on this page, oldest first.',
  total: 'The total number of teams.',
}) {}
