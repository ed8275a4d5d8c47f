import { Body, Controller, Delete, Get, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { RequestContext } from '../../access/request-context.js';
import { MessageResponse, PageQuery } from '../../http/paging.js';
import { TeamId } from '../teams/team.dto.js';
import {
  CalendarLinkId,
  CalendarLinkListResponse,
  CalendarLinkWithUrlResponse,
  CreateCalendarLink,
} from './calendar.dto.js';
import { CalendarsService } from './calendars.service.js';

@ApiTags('Calendars')
@Controller(`${publicPrefix}/teams/:teamId/calendar-links`)
@IntegrationRoute('schedules')
@ApiErrors('teamForbidden')
export class CalendarLinksController {
  constructor(private readonly calendars: CalendarsService) {}

  @Post()
  @RequiresScope('schedules:write')
  @ApiOperation({
    summary: 'Create a calendar link',
    description:
      'Creates a secret URL at which calendar applications read the games and practices of the team, without an API key. Store the URL: no other response contains it. A team can have 20 links.',
  })
  @ApiErrors('tooManyCalendarLinks')
  @ApiCreatedResponse({ type: CalendarLinkWithUrlResponse, description: 'The new link with its URL.' })
  async createCalendarLink(
    @Context() context: RequestContext,
    @Req() { protocol, host }: Request,
    @TeamId() teamId: string,
    @Body() body: CreateCalendarLink,
  ): Promise<CalendarLinkWithUrlResponse> {
    const { link, token } = await this.calendars.create(context, teamId, body);
    const scheme = protocol === 'https' ? 'https' : 'http';
    return Object.assign(link, { url: `${scheme}://${host}/${publicPrefix}/calendars/${token}.ics` });
  }

  @Get()
  @RequiresScope('schedules:read')
  @ApiOperation({
    summary: 'List calendar links',
    description: 'Lists the calendar links of a team, without their URLs.',
  })
  @ApiOkResponse({ type: CalendarLinkListResponse, description: 'A page of links.' })
  listCalendarLinks(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @Query() page: PageQuery,
  ): Promise<CalendarLinkListResponse> {
    return this.calendars.list(context, teamId, page);
  }

  @Delete(':linkId')
  @RequiresScope('schedules:write')
  @ApiOperation({
    summary: 'Delete a calendar link',
    description: 'Deletes a link. Its URL stops working immediately.',
  })
  @ApiErrors('calendarLinkNotFound')
  @ApiOkResponse({ type: MessageResponse, description: 'The link was deleted.' })
  async deleteCalendarLink(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @CalendarLinkId() id: string,
  ): Promise<MessageResponse> {
    await this.calendars.remove(context, teamId, id);
    return { message: 'Calendar link deleted' };
  }
}
