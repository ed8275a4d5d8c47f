import { DataDto, ListDto, ListQuery, PageDto, PageQuery } from '../../http/paging.js';
import { CreateDto, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { RecordIdField } from '../../validation/fields.js';
import { ExternalIdField, RecordIdParam } from '../../validation/ids.js';
import { Season } from './season.schema.js';

export const SeasonId = () => RecordIdParam('seasonId', 'The ID of the season.', '6650f1f77bcf86cd79943931');

export class CreateSeason extends CreateDto(Season, { omit: ['organizationId'] }) {}

export class UpdateSeason extends UpdateDto(Season, { omit: ['organizationId'] }) {}

/** Query of `GET /seasons` of the public API. */
export class ListSeasonsQuery extends ListQuery {
  @ExternalIdField({ description: 'List only the season with this `externalId`.' })
  externalId?: string;
}

/** Body of `POST /seasons` of the admin API. */
export class CreateAnySeason extends CreateDto(Season, { omit: ['externalId'] }) {}

/** Body of `PATCH /seasons/{id}` of the admin API. */
export class UpdateAnySeason extends UpdateDto(Season, { omit: ['organizationId', 'externalId'] }) {}

export class ListAllSeasonsQuery extends PageQuery {
  @RecordIdField({ description: 'Only seasons of this organization, without shared ones.' })
  organizationId?: string;
}

export class SeasonResponse extends ResponseDto(Season) {}

export class SeasonDataResponse extends DataDto(SeasonResponse, 'The season.') {}

const texts = { data: 'The seasons on this page, newest first.', total: 'The total number of seasons.' };

/** A page of all seasons, for admins. */
export class AllSeasonsResponse extends PageDto(SeasonResponse, texts) {}

/** A page of the seasons that an organization can use. */
export class SeasonListResponse extends ListDto(SeasonResponse, texts) {}
