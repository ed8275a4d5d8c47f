import { Prop, Schema } from '@nestjs/mongoose';
import {
  BooleanField,
  ChoiceField,
  DateField,
  NumberField,
  RecordIdField,
  TeamIdField,
  TextField,
} from '../../validation/fields.js';
import { OrganizationIdField, type RecordId, storage } from '../../database/record.js';
import { addNameIndex, Stored, syncedSchema } from '../../records/synced-record.schema.js';
import { decidedStatuses, GameOutcome, unusualStatuses } from './game-outcome.schema.js';
import { LocationField } from './location.js';

export const eventTypes = ['game', 'practice'] as const;
const overtimeTypes = ['limited', 'unlimited'] as const;

export type EventType = (typeof eventTypes)[number];

/**
 * A game or practice of a team, as the API shows it. To add an optional field, declare one decorated property here: storage,
 * validation, responses and OpenAPI are derived from it.
 */
export class Schedule extends GameOutcome {
  @RecordIdField({ description: 'The ID of the schedule.', example: '6650f1f77bcf86cd79943961', required: true })
  override _id!: RecordId;

  @OrganizationIdField('The organization that the schedule belongs to.')
  organizationId!: RecordId;

  @TeamIdField({
    description: 'The ID of the owning team.',
    example: '6650f1f77bcf86cd79943941',
    required: true,
    immutable: true,
  })
  teamOneId!: RecordId;

  @RecordIdField({
    description: 'The season that the game belongs to: that of the owning team when the game starts.',
    example: '6650f1f77bcf86cd79943931',
    required: true,
  })
  season!: RecordId;

  @TeamIdField({
    description:
      'The ID of the opponent, if it is a team of the organization. `teamTwoId` or `teamTwoName` is required on create. A new opponent without `teamTwoName` gets the name of this team.',
    example: '6650f1f77bcf86cd79943942',
    response: { description: 'The ID of the opponent, if it is a team of the organization.' },
    clearable: true,
  })
  teamTwoId?: RecordId;

  @TextField({
    description:
      'The display name of the opponent: a guest team, or another name for the linked team. In an update, `null` restores the name of the linked team.',
    max: 120,
    example: 'Foxes',
    response: { description: 'The display name of the opponent.' },
    required: true,
  })
  teamTwoName!: string;

  @ChoiceField({ description: 'The type of event.', enumName: 'EventType', choices: eventTypes, createDefault: 'game' })
  eventType!: EventType;

  @TextField({
    description:
      'The display title, such as `Hawks vs Foxes`. A generated title follows the teams, their names and the event type; another one that you send stays. `null` restores the generated title.',
    max: 255,
    example: 'Hawks vs Foxes',
    response: { description: 'The display title.' },
    required: true,
  })
  eventTitle!: string;

  @DateField({
    description: 'The start, as an ISO 8601 date-time. UTC if it has no time zone.',
    example: '2027-05-01T10:00:00Z',
    zone: 'timeZone',
    response: { description: 'The start.' },
    required: true,
  })
  startDate!: Date;

  @DateField({
    description:
      'The end, as an ISO 8601 date-time after `startDate`. UTC if it has no time zone. Omitted on create, `null` in an update, or omitted beside a `startDate` or `duration` in an upsert or a bulk row: `startDate` plus `duration`.',
    example: '2027-05-01T10:30:00Z',
    zone: 'timeZone',
    response: { description: 'The end.' },
    required: true,
  })
  endDate!: Date;

  @ChoiceField({
    description: 'The length in minutes.',
    enumName: 'Duration',
    choices: [20, 24, 30, 40, 48, 50, 60],
    createDefault: 30,
  })
  duration!: number;

  @ChoiceField({
    description: 'How the game is divided into periods.',
    enumName: 'MatchupFormat',
    choices: ['halves', 'quarters', 'runningClock'],
    createDefault: 'halves',
  })
  matchupFormat!: string;

  @ChoiceField({
    description: 'The number of players on each side.',
    enumName: 'TeamFormat',
    choices: ['4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11'],
    createDefault: '7v7',
  })
  teamFormat!: string;

  @BooleanField({ description: 'Whether this is a test game.', example: false, createDefault: false })
  isTestGame!: boolean;

  @BooleanField({
    description: 'Whether this is a scrimmage. A team can play a scrimmage against itself.',
    example: false,
    response: { description: 'Whether this is a scrimmage.' },
    createDefault: false,
  })
  isScrimmage!: boolean;

  @BooleanField({ description: 'Whether yards are tracked.', example: true, createDefault: false })
  enableYardage!: boolean;

  @BooleanField({ description: 'Whether a drive can start at zero yards.', example: false, createDefault: false })
  allowZeroYardStart!: boolean;

  @ChoiceField({
    description: 'The length of the field in yards. With `enableYardage`, the default is 50.',
    enumName: 'FieldSize',
    choices: [30, 40, 45, 50, 60, 64, 70, 80, 100],
    example: 50,
  })
  fieldSizeInYard?: number;

  @ChoiceField({
    description: 'The type of overtime. `limited` requires `overtimeDuration` in the same request.',
    enumName: 'OvertimeType',
    choices: overtimeTypes,
    example: 'limited',
    response: { description: 'The type of overtime.', example: 'unlimited' },
    createDefault: 'unlimited',
  })
  overtimeType!: (typeof overtimeTypes)[number];

  @NumberField({ description: 'The length of overtime in minutes.', minimum: 1, maximum: 1_440, example: 10 })
  overtimeDuration?: number;

  @TextField({
    description: 'The display name of the location.',
    max: 200,
    allowBlank: true,
    example: 'Riverside Park, field 3',
    clearable: true,
  })
  locationName?: string;

  @TextField({
    description: 'The ID of the location in a map service.',
    max: 200,
    allowBlank: true,
    example: 'ChIJ2eUgeAK6j4ARbn5u_wAGqWA',
    clearable: true,
  })
  placeId?: string;

  @LocationField()
  location?: string | Record<string, unknown>;

  @TextField({
    description: 'A note for a practice. Can contain tabs and newlines.',
    max: 2_000,
    allowBlank: true,
    multiline: true,
    example: 'Bring cones.',
    response: { description: 'A note for a practice.' },
    clearable: true,
  })
  practiceNote?: string;

  @TextField({
    description: 'Your own ID of the tournament.',
    max: 100,
    allowBlank: true,
    example: 'spring-cup-2027',
    response: { description: 'The ID of the tournament.' },
    clearable: true,
  })
  tournamentId?: string;
}

@Schema({ collection: 'schedules', ...storage })
export class ScheduleRecord extends Stored(Schedule) {
  /** The index key for `filter=live`, see time-bucket.ts. Missing if the record was inserted manually. */
  @Prop({ type: Number }) timeBucket?: number;
  /** Set by every write of the game's statistics, which serializes concurrent writers. */
  @Prop({ type: Date }) statisticsWrittenAt?: Date;
  /** Counts these writes, so that the change feed has two within a millisecond. */
  @Prop({ type: Number }) statisticsRevision?: number;
}

export const scheduleSchema = syncedSchema(ScheduleRecord);

/** The first keys of each index of schedules that are not deleted. */
const active = { organizationId: 1, deletedAt: 1 } as const;
// Serves the list of an organization's schedules by start: all, upcoming, and in a date range.
scheduleSchema.index({ ...active, startDate: 1, _id: 1, status: 1 }, { name: 'schedules_by_start_and_status' });
// Serves the list of live schedules without scanning past and future ones, which grow.
scheduleSchema.index({ ...active, timeBucket: 1, endDate: 1, startDate: 1 }, { name: 'schedules_by_time_bucket' });
// Serves the list of schedules that have changed lately, and the query whether an organization's schedules have changed.
scheduleSchema.index({ organizationId: 1, updatedAt: 1 }, { name: 'schedules_by_change' });
const byStart = { deletedAt: 1, startDate: 1, _id: 1 } as const;
// Serve the list of a team's schedules, as owner or opponent, and its calendar with those of them that were deleted lately.
scheduleSchema.index({ organizationId: 1, teamOneId: 1, ...byStart }, { name: 'schedules_by_team_one' });
scheduleSchema.index({ organizationId: 1, teamTwoId: 1, ...byStart }, { name: 'schedules_by_team_two' });
// Serves the search of schedules by title.
addNameIndex(scheduleSchema, 'eventTitle', 'schedules_by_title');
// Serves the lists of schedules that are not `scheduled`, as most are.
scheduleSchema.index(
  { ...active, status: 1, startDate: 1, _id: 1 },
  { name: 'schedules_not_scheduled', partialFilterExpression: { status: { $in: unusualStatuses } } },
);
// Serves the list of a season's schedules.
scheduleSchema.index({ organizationId: 1, season: 1, ...byStart }, { name: 'schedules_by_season' });
// Serves the decided games of a season.
scheduleSchema.index(
  { organizationId: 1, season: 1, startDate: 1 },
  { name: 'decided_games_by_season', partialFilterExpression: { status: { $in: decidedStatuses } } },
);
// Serves the query whether the statistics of an organization have changed.
scheduleSchema.index(
  { organizationId: 1, statisticsWrittenAt: 1 },
  { name: 'schedules_by_statistics', partialFilterExpression: { statisticsWrittenAt: { $exists: true } } },
);
