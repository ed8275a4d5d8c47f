import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, IntegrationRoute, ApiErrors, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { publicPrefix } from '../../access/public-api.js';
import { ExternalIdParam } from '../../validation/ids.js';
import { Idempotent } from '../../records/idempotency.interceptor.js';
import { Conditional } from '../../records/conditional.guard.js';
import type { BulkRequest } from '../../records/bulk.dto.js';
import { BulkPipe } from '../../records/bulk.pipe.js';
import { BulkUpsert, DeleteByExternalId, GetByExternalId, Upsert, UpsertQuery } from '../../records/routes.js';
import {
  BulkSchedules,
  CreateSchedule,
  DeleteScheduleQuery,
  ListSchedulesQuery,
  ScheduleDataResponse,
  ScheduleId,
  ScheduleListResponse,
  ScheduleResponse,
  ScheduleRow,
  UpdateSchedule,
  UpsertSchedule,
  WrittenSchedule,
} from './schedule.dto.js';
import { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';

@ApiTags('Schedules')
@Controller(`${publicPrefix}/schedules`)
@IntegrationRoute('schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get()
  @RequiresScope('schedules:read')
  @ApiOperation({
    summary: 'List schedules',
    description: "Lists the organization's schedules, earliest start first. Excludes deleted schedules.",
  })
  @ApiErrors('teamForbidden')
  @Returns(ScheduleListResponse, 'A page of schedules.')
  listSchedules(@Context() context: RequestContext, @Query() query: ListSchedulesQuery) {
    return this.schedules.list(context, query);
  }

  @Post()
  @RequiresScope('schedules:write')
  @Idempotent({ store: SchedulesRepository, required: false })
  @ApiOperation({
    summary: 'Create a schedule',
    description: 'Creates a game or practice of a team. Omitted fields get the documented defaults.',
  })
  @ApiErrors('opponentMissing', 'teamForbidden', 'externalIdTaken')
  @Returns(WrittenSchedule, 'The created schedule.', 201)
  createSchedule(@Context() context: RequestContext, @Body() body: CreateSchedule) {
    return this.schedules.create(context, body);
  }

  @BulkUpsert('schedule', BulkSchedules)
  bulkUpsertSchedules(
    @Context() context: RequestContext,
    @Body(new BulkPipe(ScheduleRow)) body: BulkRequest<ScheduleRow>,
  ) {
    return this.schedules.bulkUpsert(context, body);
  }

  @GetByExternalId('schedule', ScheduleDataResponse)
  getScheduleByExternalId(@Context() context: RequestContext, @ExternalIdParam() externalId: string) {
    return this.schedules.getByExternalId(context, externalId);
  }

  @Upsert('schedule', WrittenSchedule)
  @ApiErrors('opponentMissing', 'teamForbidden', 'scheduleOfAnotherTeam')
  upsertSchedule(
    @Context() context: RequestContext,
    @ExternalIdParam() externalId: string,
    @Query() query: UpsertQuery,
    @Body() body: UpsertSchedule,
  ) {
    return this.schedules.upsert(context, externalId, query, body);
  }

  @DeleteByExternalId('schedule')
  async deleteScheduleByExternalId(@Context() context: RequestContext, @ExternalIdParam() externalId: string) {
    await this.schedules.removeByExternalId(context, externalId);
    return { message: 'Schedule deleted' };
  }

  @Get(':scheduleId')
  @RequiresScope('schedules:read')
  @Conditional('read')
  @ApiOperation({ summary: 'Get a schedule', description: 'Returns a schedule.' })
  @ApiErrors('scheduleNotFound', 'resourceForbidden')
  @Returns(ScheduleDataResponse, 'The schedule.')
  async getSchedule(@Context() context: RequestContext, @ScheduleId() id: string) {
    return { data: await this.schedules.get(context, id) };
  }

  @Patch(':scheduleId')
  @RequiresScope('schedules:write')
  @Conditional('update')
  @ApiOperation({
    summary: 'Update a schedule',
    description:
      'Updates the fields that you send; all others keep their values. `enableYardage: true` requires `fieldSizeInYard`, and `overtimeType: limited` requires `overtimeDuration` in the same request. The scores and `forfeitedBy` must fit the `status` after the update: clear a running score when you cancel a game. If you send `startDate` without `endDate`, the end stays if it is after the new start; otherwise it moves by the same amount. `endDate: null` sets the end to `startDate` plus `duration`, and `eventTitle: null` restores the generated title. `null` clears `externalId`, `locationName`, `placeId`, `location`, `practiceNote`, `tournamentId`, `teamOneScore`, `teamTwoScore`, `forfeitedBy` and `timeZone`, and unlinks `teamTwoId`, which keeps `teamTwoName`. If you send another `teamTwoId` without `teamTwoName`, or `teamTwoName: null`, the name of the linked team is used. A generated title follows; a title that you send stays.',
  })
  @ApiErrors('scheduleNotFound', 'resourceForbidden', 'teamForbidden', 'scheduleOfAnotherTeam', 'externalIdTaken')
  @Returns(ScheduleResponse, 'The updated schedule.')
  updateSchedule(@Context() context: RequestContext, @ScheduleId() id: string, @Body() body: UpdateSchedule) {
    return this.schedules.update(context, id, body);
  }

  @Delete(':scheduleId')
  @RequiresScope('schedules:write')
  @Conditional('delete')
  @ApiOperation({
    summary: 'Delete a schedule',
    description: 'Deletes a schedule. It no longer appears in any response.',
  })
  @ApiErrors('scheduleNotFound', 'resourceForbidden', 'teamForbidden', 'scheduleOfAnotherTeam')
  @Returns(MessageResponse, 'The schedule was deleted.')
  async deleteSchedule(
    @Context() context: RequestContext,
    @ScheduleId() id: string,
    @Query() query: DeleteScheduleQuery,
  ) {
    await this.schedules.remove(context, id, query.teamId);
    return { message: 'Schedule deleted' };
  }
}
