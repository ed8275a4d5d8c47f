import { Body, Controller, Delete, Get, Logger, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  ApiErrors,
  Context,
  IgnoresQuery,
  IntegrationRoute,
  OpenRoute,
  RequiresScope,
} from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { Configuration } from '../../config/configuration.js';
import type { ApiRequest } from '../../http/api-request.js';
import { MessageResponse, PageQuery } from '../../http/paging.js';
import { allowNotModified } from '../../http/request-head.js';
import { Returns } from '../../http/returns.decorator.js';
import { ApiNotModified } from '../../records/conditional.guard.js';
import { TeamId } from '../teams/team.dto.js';
import {
  CalendarLinkId,
  CalendarLinkListResponse,
  CalendarLinkWithUrlResponse,
  CreateCalendarLink,
  exampleToken,
} from './calendar.dto.js';
import { CalendarsService } from './calendars.service.js';

const mediaType = 'text/calendar; charset=utf-8';

/** The calendars. The token in the path is the credential: routes are logged by their pattern, never with the path. */
@ApiTags('Calendars')
@Controller(`${publicPrefix}/calendars`)
export class CalendarsController {
  constructor(private readonly calendars: CalendarsService) {}

  @Get(':token.ics')
  @OpenRoute()
  @IgnoresQuery()
  @ApiOperation({
    summary: 'Read a calendar',
    description:
      "Returns the games and practices of the link's team from 60 days ago to 400 days ahead (RFC 5545), without an API key: at most 1,000, those nearest to today in UTC. Cancelled ones, and deleted ones for 30 days, have the status `CANCELLED`. Titles begin with `Cancelled: `, `Postponed: ` or `Forfeited: ` if that applies. Times are in the `timeZone` of each if they are among the first 20 time zones, otherwise in UTC. Query parameters are ignored. At most 60 requests per minute and link.",
  })
  @ApiParam({ name: 'token', description: 'The secret part of the URL.', example: exampleToken })
  @ApiErrors('calendarLinkNotFound', 'rateLimited', 'authenticationLimited')
  @ApiProduces('text/calendar')
  @ApiResponse({ status: 200, description: 'The calendar.', schema: { type: 'string' } })
  @ApiNotModified('the calendar is the same', 'The calendar is the one with the `ETag` in `If-None-Match`.', '"3q2-7w"')
  async getCalendar(@Param('token') token: string, @Req() request: ApiRequest, @Res() response: Response) {
    const { version, text } = await this.calendars.read(token, request);
    response.setHeader('ETag', `"${version}"`);
    response.setHeader('Cache-Control', 'private, max-age=300');
    allowNotModified(request);
    // Express sends 304 if `If-None-Match` has the ETag.
    response.type(mediaType).send(text);
  }
}

@ApiTags('Calendars')
@Controller(`${publicPrefix}/teams/:teamId/calendar-links`)
@IntegrationRoute('schedules')
@ApiErrors('teamForbidden', 'teamNotFound')
export class CalendarLinksController {
  constructor(
    private readonly calendars: CalendarsService,
    private readonly configuration: Configuration,
  ) {
    if (configuration.production && configuration.publicUrl === undefined)
      new Logger('Calendars').warn('PUBLIC_URL is not set: calendar links have the host of the request');
  }

  @Post()
  @RequiresScope('schedules:write')
  @ApiOperation({
    summary: 'Create a calendar link',
    description:
      'Creates a secret URL at which calendar applications read the games and practices of the team, without an API key. Store the URL: no other response contains it. A team can have 20 links.',
  })
  @ApiErrors('tooManyCalendarLinks')
  @Returns(CalendarLinkWithUrlResponse, 'The new link with its URL.', 201)
  async createCalendarLink(
    @Context() context: RequestContext,
    @Req() { protocol, host }: Request,
    @TeamId() teamId: string,
    @Body() body: CreateCalendarLink,
  ) {
    const { link, token } = await this.calendars.create(context, teamId, body);
    const { publicUrl = `${protocol === 'https' ? 'https' : 'http'}://${host}` } = this.configuration;
    return Object.assign(link, { url: `${publicUrl}/${publicPrefix}/calendars/${token}.ics` });
  }

  @Get()
  @RequiresScope('schedules:read')
  @ApiOperation({
    summary: 'List calendar links',
    description: 'Lists the calendar links of a team, without their URLs.',
  })
  @Returns(CalendarLinkListResponse, 'A page of links.')
  listCalendarLinks(@Context() context: RequestContext, @TeamId() teamId: string, @Query() page: PageQuery) {
    return this.calendars.list(context, teamId, page);
  }

  @Delete(':linkId')
  @RequiresScope('schedules:write')
  @ApiOperation({
    summary: 'Delete a calendar link',
    description: 'Deletes a link. Its URL stops working immediately.',
  })
  @ApiErrors('calendarLinkNotFound')
  @Returns(MessageResponse, 'The link was deleted.')
  async deleteCalendarLink(@Context() context: RequestContext, @TeamId() teamId: string, @CalendarLinkId() id: string) {
    await this.calendars.remove(context, teamId, id);
    return { message: 'Calendar link deleted' };
  }
}
