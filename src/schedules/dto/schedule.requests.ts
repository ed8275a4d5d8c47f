import { ListQuery } from '../../common/http/paging.js';
import { Clearable, Required } from '../../common/validation/field.js';
import { ChoiceField, QueryInstantField, TeamIdField, TextField } from '../../common/validation/fields.js';
import { eventTypes, type EventType } from '../schedule-values.js';
import { ScheduleFields } from './schedule-fields.js';

/** What is to be changed of a schedule; a field that is not sent keeps its value. */
export class UpdateSchedule extends ScheduleFields {
  @TeamIdField({ description: 'The owning team; it does not change.', example: '6650f1f77bcf86cd79943941' })
  @Required()
  teamId!: string;

  @TextField({ description: 'The title as it is shown.', max: 255, example: 'Hawks vs Foxes' })
  eventTitle?: string;

  @Clearable()
  override practiceNote?: string | null;
}

/** Which schedule's owner deletes it. */
export class DeleteScheduleQuery {
  @TeamIdField({ description: 'The owning team.', example: '6650f1f77bcf86cd79943941' })
  @Required()
  teamId!: string;
}

const timeFilters = ['live', 'upcoming'] as const;

/** Which schedules are listed. */
export class ListSchedulesQuery extends ListQuery {
  @ChoiceField({
    description: '`live`: begun and not ended. `upcoming`: not begun. Left out: all.',
    choices: timeFilters,
    example: 'upcoming',
  })
  filter?: (typeof timeFilters)[number];

  @TeamIdField({ description: 'Only those of this team, on either side.', example: '6650f1f77bcf86cd79943941' })
  teamId?: string;

  @ChoiceField({ description: 'Only those of this kind.', choices: eventTypes, example: 'game' })
  eventType?: EventType;

  @QueryInstantField({ description: 'Only those that begin at this moment or later.', example: '2027-05-01T00:00:00Z' })
  startDateFrom?: Date;

  @QueryInstantField({ description: 'Only those that begin before this moment.', example: '2027-06-01T00:00:00Z' })
  startDateTo?: Date;
}
