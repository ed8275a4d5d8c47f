import { ListDto, PageDto } from '../../common/http/paging.js';
import { CreateDto, ResponseDto } from '../../common/validation/dto.js';
import { Season } from './season.schema.js';

/** Body of `POST /seasons`. */
export class CreateSeason extends CreateDto(Season, { omit: [] }) {}

/** A season in responses. */
export class SeasonResponse extends ResponseDto(Season) {}

const texts = { data: 'The page, newest beginning first.', total: 'How many seasons there are in all.' };

/** A page of all seasons, as admins see it. */
export class AllSeasonsResponse extends PageDto(SeasonResponse, texts) {}

/** A page of seasons, as partners see it. */
export class SeasonListResponse extends ListDto(SeasonResponse, texts) {}
