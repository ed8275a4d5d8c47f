import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DataDto, ListDto, ListQuery } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { RequiresOneOf } from '../../validation/requires-one-of.js';
import { ExternalIdField, RecordIdParam, TeamExternalIdField } from '../../validation/ids.js';
import { ChoiceField, ChoiceListField, DateField, RecordIdField, TeamIdField } from '../../validation/fields.js';
import { BulkDto, RowDto, Warning } from '../../records/bulk.dto.js';
import { scheduleStatuses, type ScheduleStatus } from './game-outcome.schema.js';
import { eventTypes, type EventType, Schedule } from './schedule.schema.js';

const scheduleId = ['scheduleId', 'The ID of the schedule.', '6650f1f77bcf86cd79943961'] as const;
export const ScheduleId = () => RecordIdParam(...scheduleId, { plural: 'schedules' });
/** On the route of all admins, which has no path with external IDs. */
export const AnyScheduleId = () => RecordIdParam(...scheduleId);

const example = '6650f1f77bcf86cd79943941';
const either = 'Either this or `teamExternalId` is required.';
const ownerOptions = { example, requiredUnless: 'teamExternalId' } as const;

/** Adds the fields that name teams by the partner's own IDs. */
function withOwnIds<T extends object>(base: Type<T>) {
  class Dto extends (base as Type<object>) {
    @TeamExternalIdField('teamId', 'Your own ID of the owning team, instead of `teamId`.')
    teamExternalId?: string;

    @TeamExternalIdField('teamTwoId', 'Your own ID of the opponent, instead of `teamTwoId`.', 'club-8')
    teamTwoExternalId?: string;
  }
  return Dto as Type<T & OwnTeamIds>;
}

/** The fields that name teams by the partner's own IDs. */
export interface OwnTeamIds {
  teamExternalId?: string;
  teamTwoExternalId?: string;
}

const CreateFields = CreateDto(Schedule, {
  omit: ['organizationId', 'teamOneId', 'season', 'eventTitle'],
  optional: ['teamTwoName', 'endDate'],
});

/** The server computes an omitted end, and the name of a linked opponent. */
@RequiresOneOf(['teamTwoId', 'teamTwoExternalId', 'teamTwoName'], 'opponentMissing')
export class CreateSchedule extends withOwnIds(CreateFields) {
  @TeamIdField({ ...ownerOptions, description: `The ID of the owning team. ${either}` })
  teamId?: string;
}

const UpdateFields = UpdateDto(Schedule, {
  omit: ['organizationId', 'teamOneId', 'season'],
  computed: ['eventTitle', 'endDate', 'teamTwoName'],
});

/** Never empty, because it names the owning team. */
@ApiSchema({ name: 'UpdateSchedule', ...{ minProperties: 1 } })
export class UpdateSchedule extends withOwnIds(UpdateFields) {
  @TeamIdField({ ...ownerOptions, description: `The ID of the owning team, which cannot be changed. ${either}` })
  teamId?: string;
}

const owner =
  'The ID of the owning team, which cannot be changed: this or `teamExternalId` is required if the schedule is created.';

export class UpsertSchedule extends withOwnIds(UpdateFields) {
  @TeamIdField({ description: owner, example })
  teamId?: string;
}

export class ScheduleRow extends RowDto(UpsertSchedule) {}

export class BulkSchedules extends BulkDto(ScheduleRow) {}

export class DeleteScheduleQuery {
  @TeamIdField({ description: 'The ID of the owning team.', example, required: true })
  teamId!: string;
}

const timeFilters = ['live', 'upcoming'] as const;

/** Query of a list of schedules. */
export class ListSeasonSchedulesQuery extends ListQuery {
  @ChoiceField({
    description:
      '`live`: in progress. `upcoming`: not started yet. Both list only schedules with the status `scheduled`. Omit to list all.',
    enumName: 'ScheduleFilter',
    choices: timeFilters,
  })
  filter?: (typeof timeFilters)[number];

  @TeamIdField({ description: 'List only schedules of this team, as owner or opponent.' })
  teamId?: string;

  @ChoiceField({ description: 'List only schedules of this type.', enumName: 'EventType', choices: eventTypes })
  eventType?: EventType;

  @ChoiceListField({
    description: 'List only schedules with one of these statuses, separated by commas.',
    choices: scheduleStatuses,
    enumName: 'ScheduleStatus',
  })
  status?: ScheduleStatus[];

  @ExternalIdField({ description: 'List only the schedule with this `externalId`.' })
  externalId?: string;

  @DateField({ description: 'List only schedules that start at or after this time.', query: true })
  startDateFrom?: Date;

  @DateField({ description: 'List only schedules that start before this time.', query: true })
  startDateTo?: Date;

  @DateField({ description: 'List only schedules that were created or changed at or after this time.', query: true })
  updatedFrom?: Date;
}

export class ListSchedulesQuery extends ListSeasonSchedulesQuery {
  @RecordIdField({ description: 'List only schedules of this season: that of the owning team when they start.' })
  season?: string;
}

export class ScheduleResponse extends ResponseDto(Schedule) {
  @ApiProperty({ description: 'The ID of the owning team, equal to `teamOneId`.', example })
  teamId!: string;
}

/** A schedule that was created or upserted. */
export class WrittenSchedule extends ScheduleResponse {
  @ApiProperty({ type: [Warning], required: false, description: 'What you should know about the game.' })
  warnings?: readonly Warning[];
}

const toJson = jsonMapper(Schedule);

export function toScheduleResponse(schedule: Schedule): ScheduleResponse {
  const response = toJson(schedule);
  return Object.assign(response, { teamId: response.teamOneId });
}

export class ScheduleDataResponse extends DataDto(ScheduleResponse, 'The schedule.') {}

export class ScheduleListResponse extends ListDto(ScheduleResponse, {
  data: 'The schedules on this page, earliest start first.',
  total: 'The total number of matching schedules.',
}) {}
