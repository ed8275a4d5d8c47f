import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto } from '../../validation/dto.js';
import { RecordIdParam } from '../../validation/ids.js';
import { CalendarLink } from './calendar-link.schema.js';

/** The token that the documents have as an example. */
export const exampleToken = 'ZlDx93vPhs15lDmxQ2FsZW5kYXItZXhhbXBsZS10b2tlbi1ub3Qtc2VjcmU';

export const CalendarLinkId = () => RecordIdParam('linkId', 'The ID of the link.', '6650f1f77bcf86cd799439b1');

export class CreateCalendarLink extends CreateDto(CalendarLink, { omit: ['teamId', 'organizationId'] }) {}

/** A calendar link in responses, without its URL. */
export class CalendarLinkResponse extends ResponseDto(CalendarLink) {}

/** A new link: the only response with the URL. */
export class CalendarLinkWithUrlResponse extends CalendarLinkResponse {
  @ApiProperty({
    description:
      'The secret URL of the calendar. Anyone who has it can read the calendar. Returned only in this response.',
    example: 'https://api.example.com/v1/public-api/calendars/<59 characters>.ics',
  })
  url!: string;
}

export class CalendarLinkListResponse extends PageDto(CalendarLinkResponse, {
  data: 'The links of the team on this page, oldest first.',
  total: 'The number of links.',
}) {}

export const toCalendarLinkResponse: (link: CalendarLink) => CalendarLinkResponse = jsonMapper(CalendarLink);
