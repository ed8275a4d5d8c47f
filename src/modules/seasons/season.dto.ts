import { ListDto, PageDto } from '../../common/http/paging.js';
import { CreateDto, ResponseDto } from '../../common/validation/dto.js';
import { Season } from './season.schema.js';

/** Body of `POST /seasons`. */
export class CreateSeason extends CreateDto(Season, { omit: [] }) {}

/** A season in responses. */
export class SeasonResponse extends ResponseDto(Season) {}

const texts = { data: 'The seasons on this page, newest first.', total: 'The total number of seasons.' };

/** A page of all seasons, for admins. */
export class AllSeasonsResponse extends PageDto(SeasonResponse, texts) {}

/** A page of the seasons that an organization can use. */
export class SeasonListResponse extends ListDto(SeasonResponse, texts) {}
