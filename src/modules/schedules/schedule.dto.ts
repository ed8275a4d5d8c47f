import { ApiProperty } from '@nestjs/swagger';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { DataDto, ListDto, ListQuery } from '../../common/http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../common/validation/dto.js';
import { RequiresOneOf } from '../../common/validation/field.js';
import { ChoiceField, DateField, TeamIdField } from '../../common/validation/fields.js';
import { eventTypes, type EventType, Schedule } from './schedule.schema.js';

const example = '6650f1f77bcf86cd79943941';

/** Body of `POST /schedules`. The server fills in the end, and the opponent's name where it is a linked team. */
@RequiresOneOf(['teamTwoId', 'teamTwoName'], errorCatalogue.opponentMissing)
export class CreateSchedule extends CreateDto(Schedule, {
  omit: ['organizationId', 'teamOneId', 'eventTitle'],
  optional: ['teamTwoName', 'endDate'],
}) {
  @TeamIdField({ description: "The owning team, one of the organization's.", example, required: true })
  teamId!: string;
}

/** Body of `PATCH /schedules/{scheduleId}`. */
export class UpdateSchedule extends UpdateDto(Schedule, {
  omit: ['organizationId', 'teamOneId', 'teamTwoId', 'locationName', 'placeId', 'location', 'tournamentId'],
}) {
  @TeamIdField({ description: 'The owning team; it does not change.', example, required: true })
  teamId!: string;
}

/** Query of `DELETE /schedules/{scheduleId}`. */
export class DeleteScheduleQuery {
  @TeamIdField({ description: 'The owning team.', example, required: true })
  teamId!: string;
}

const timeFilters = ['live', 'upcoming'] as const;

/** Query of `GET /schedules`. */
export class ListSchedulesQuery extends ListQuery {
  @ChoiceField({
    description: '`live`: begun and not ended. `upcoming`: not begun. Left out: all.',
    choices: timeFilters,
    example: 'upcoming',
  })
  filter?: (typeof timeFilters)[number];

  @TeamIdField({ description: 'Only those of this team, on either side.', example })
  teamId?: string;

  @ChoiceField({ description: 'Only those of this kind.', choices: eventTypes, example: 'game' })
  eventType?: EventType;

  @DateField({
    description: 'Only those that begin at this moment or later.',
    example: '2027-05-01T00:00:00Z',
    query: true,
  })
  startDateFrom?: Date;

  @DateField({ description: 'Only those that begin before this moment.', example: '2027-06-01T00:00:00Z', query: true })
  startDateTo?: Date;
}

/** A schedule in responses. */
export class ScheduleResponse extends ResponseDto(Schedule) {
  @ApiProperty({ description: 'The owning team, as requests name it.', example })
  teamId!: string;
}

const toJson = jsonMapper(Schedule);

/** Maps a stored schedule to the response. */
export function toScheduleResponse(schedule: Schedule): ScheduleResponse {
  const response = toJson(schedule);
  return Object.assign(response, { teamId: response.teamOneId });
}

/** One schedule. */
export class ScheduleDataResponse extends DataDto(ScheduleResponse, 'The schedule.') {}

/** A page of schedules. */
export class ScheduleListResponse extends ListDto(ScheduleResponse, {
  data: 'The page, by beginning, the earliest first.',
  total: 'How many schedules match in all.',
}) {}
