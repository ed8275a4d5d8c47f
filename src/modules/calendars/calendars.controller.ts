import { hash } from 'node:crypto';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors, OpenRoute } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import { allowNotModified } from '../../http/request-head.js';
import { ApiNotModified } from '../../records/conditional.guard.js';
import { exampleToken } from './calendar.dto.js';
import { CalendarsService } from './calendars.service.js';

const mediaType = 'text/calendar; charset=utf-8';

/** The calendars. The token in the path is the credential: routes are logged by their pattern, never with the path. */
@ApiTags('Calendars')
@Controller(`${publicPrefix}/calendars`)
export class CalendarsController {
  constructor(private readonly calendars: CalendarsService) {}

  @Get(':token.ics')
  @OpenRoute()
  @ApiOperation({
    summary: 'Read a calendar',
    description:
      "Returns the games and practices of the link's team from 60 days ago to 400 days ahead (RFC 5545), without an API key. Cancelled games and practices, and deleted ones for 30 days, have the status `CANCELLED`. At most 60 requests per minute and link.",
  })
  @ApiParam({ name: 'token', description: 'The secret part of the URL.', example: exampleToken })
  @ApiErrors('calendarLinkNotFound', 'rateLimited')
  @ApiProduces('text/calendar')
  @ApiResponse({ status: 200, description: 'The calendar.', schema: { type: 'string' } })
  @ApiNotModified('the calendar is the same', 'The calendar is the one with the `ETag` in `If-None-Match`.', '"3q2-7w"')
  async getCalendar(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const calendar = await this.calendars.read(token);
    response.setHeader('ETag', `"${hash('sha256', calendar, 'base64url')}"`);
    response.setHeader('Cache-Control', 'private, max-age=300');
    allowNotModified(request);
    // Express sends 304 if `If-None-Match` has the ETag.
    response.type(mediaType).send(calendar);
  }
}
