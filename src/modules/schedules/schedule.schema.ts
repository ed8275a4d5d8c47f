import type { Schema } from 'mongoose';
import { Field } from '../../common/validation/field.js';
import {
  BooleanField,
  ChoiceField,
  DateField,
  NumberField,
  RecordIdField,
  TeamIdField,
  TextField,
} from '../../common/validation/fields.js';
import { recordSchema, type RecordId, StoredRecord, storedFieldsOf } from '../../database/record.js';
import { idempotencyIndex, type IdempotentRecord, idempotentFields } from '../../idempotency/idempotent.repository.js';
import { locationProblem } from './location.js';

export const eventTypes = ['game', 'practice'] as const;
const durations = [20, 24, 30, 40, 48, 50, 60] as const;
const matchupFormats = ['halves', 'quarters', 'runningClock'] as const;
const teamFormats = ['4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11'] as const;
const fieldSizes = [30, 40, 45, 50, 60, 64, 70, 80, 100] as const;
const overtimeTypes = ['limited', 'unlimited'] as const;

export type EventType = (typeof eventTypes)[number];

/**
 * A game or a practice of a team, as partners see and write it. A new optional field is one decorated property here:
 * storage, validation, responses and OpenAPI follow from it.
 */
export class Schedule extends StoredRecord {
  @RecordIdField({ description: "The schedule's id.", example: '6650f1f77bcf86cd79943961', required: true })
  override _id!: RecordId;

  @RecordIdField({
    description: 'The organization whose schedule it is.',
    example: '6650f1f77bcf86cd79943911',
    required: true,
    immutable: true,
  })
  organizationId!: RecordId;

  @TeamIdField({
    description: 'The owning team.',
    example: '6650f1f77bcf86cd79943941',
    required: true,
    immutable: true,
  })
  teamOneId!: RecordId;

  @TeamIdField({
    description:
      "The opponent, where it is a team of the organization. Either this or `teamTwoName` is required; sent alone, `teamTwoName` is that team's name.",
    example: '6650f1f77bcf86cd79943942',
    response: { description: 'The opponent, where it is a team of the organization.' },
  })
  teamTwoId?: RecordId;

  @TextField({
    description: "The opponent's name as it is shown: a guest's, or another name for the linked team.",
    max: 120,
    example: 'Foxes',
    response: { description: "The opponent's name." },
    required: true,
  })
  teamTwoName!: string;

  @ChoiceField({ description: 'What takes place.', choices: eventTypes, example: 'game', default: 'game' })
  eventType!: EventType;

  @TextField({ description: 'The title as it is shown.', max: 255, example: 'Hawks vs Foxes', required: true })
  eventTitle!: string;

  @DateField({
    description: 'When it begins: ISO 8601; without a zone it is read as UTC.',
    example: '2027-05-01T10:00:00Z',
    response: { description: 'When it begins.' },
    required: true,
  })
  startDate!: Date;

  @DateField({
    description: 'When it ends, after the beginning: ISO 8601; without a zone it is read as UTC.',
    example: '2027-05-01T10:30:00Z',
    response: { description: 'When it ends.' },
    required: true,
  })
  endDate!: Date;

  @ChoiceField({ description: 'How long it takes, in minutes.', choices: durations, example: 30, default: 30 })
  duration!: number;

  @ChoiceField({
    description: 'How the game is divided.',
    choices: matchupFormats,
    example: 'halves',
    default: 'halves',
  })
  matchupFormat!: string;

  @ChoiceField({ description: 'How many play on each side.', choices: teamFormats, example: '7v7', default: '7v7' })
  teamFormat!: string;

  @BooleanField({ description: 'Whether it is a game to try things out with.', example: false, default: false })
  isTestGame!: boolean;

  @BooleanField({
    description: 'Whether it is a scrimmage; a team may play one against itself.',
    example: false,
    response: { description: 'Whether it is a scrimmage.' },
    default: false,
  })
  isScrimmage!: boolean;

  @BooleanField({ description: 'Whether yards are counted.', example: true, default: false })
  enableYardage!: boolean;

  @BooleanField({ description: 'Whether a drive may start at zero yards.', example: false, default: false })
  allowZeroYardStart!: boolean;

  @ChoiceField({ description: 'The length of the field in yards.', choices: fieldSizes, example: 50 })
  fieldSizeInYard?: number;

  @ChoiceField({
    description: 'Whether overtime ends; `limited` needs `overtimeDuration` in the same request.',
    choices: overtimeTypes,
    example: 'limited',
    response: { description: 'Whether overtime ends.', example: 'unlimited' },
    default: 'unlimited',
  })
  overtimeType!: (typeof overtimeTypes)[number];

  @NumberField({ description: 'The length of overtime in minutes.', minimum: 1, example: 10 })
  overtimeDuration?: number;

  @TextField({
    description: 'Where it takes place, for people.',
    max: 200,
    allowBlank: true,
    example: 'Riverside Park, field 3',
  })
  locationName?: string;

  @TextField({
    description: 'Where it takes place, as the id of a map service.',
    max: 200,
    allowBlank: true,
    example: 'ChIJ2eUgeAK6j4ARbn5u_wAGqWA',
  })
  placeId?: string;

  @Field({
    description:
      'Where it takes place: a text of at most 500 characters, or an object of at most 2 KB as JSON and 3 levels, whose keys do not begin with `$` nor hold `.`. Kept as sent.',
    example: { latitude: 37.8, longitude: -122.27 },
    response: { description: 'Where it takes place, as it was sent.' },
    problem: locationProblem,
    schema: {
      type: Object,
      oneOf: [
        { type: 'string', maxLength: 500 },
        { type: 'object', additionalProperties: true },
      ],
    },
    stored: 'Mixed',
  })
  location?: string | Record<string, unknown>;

  @TextField({
    description: 'A note for a practice; tab and newline may stand in it.',
    max: 2_000,
    allowBlank: true,
    multiline: true,
    example: 'Bring cones.',
    response: { description: 'A note for a practice.' },
    clearable: true,
  })
  practiceNote?: string;

  @TextField({
    description: 'The tournament it belongs to, as your own id.',
    max: 100,
    allowBlank: true,
    example: 'spring-cup-2027',
    response: { description: 'The tournament it belongs to.' },
  })
  tournamentId?: string;
}

/** A schedule as stored. */
export interface ScheduleRecord extends Schedule, IdempotentRecord {
  /** Where `filter=live` finds it: see time-bucket.ts. Missing if the record was written by hand. */
  timeBucket?: number;
  /** Set by every write of the game's statistics, so that concurrent writers follow each other. */
  statisticsWrittenAt?: Date;
}

export const scheduleModel = 'Schedule';

export const scheduleSchema: Schema<ScheduleRecord> = recordSchema<ScheduleRecord>('schedules', {
  ...storedFieldsOf(Schedule),
  ...idempotentFields,
  timeBucket: { type: Number },
  statisticsWrittenAt: { type: Date },
});

// Serves the list of an organization's schedules by their beginning: all, upcoming, and between two moments.
scheduleSchema.index({ organizationId: 1, deletedAt: 1, startDate: 1, _id: 1 }, { name: 'schedules_by_start' });
// Serves the list of what is live: neither the past nor the future, which grow, are looked at.
scheduleSchema.index(
  { organizationId: 1, deletedAt: 1, timeBucket: 1, endDate: 1, startDate: 1 },
  { name: 'schedules_by_time_bucket' },
);
// Serves the question whether anything of an organization was changed since its schedules were counted.
scheduleSchema.index({ organizationId: 1, updatedAt: 1 }, { name: 'schedules_by_change' });
// Serve the list of a team's schedules, on either side.
scheduleSchema.index(
  { organizationId: 1, deletedAt: 1, teamOneId: 1, startDate: 1, _id: 1 },
  { name: 'schedules_of_team_one' },
);
scheduleSchema.index(
  { organizationId: 1, deletedAt: 1, teamTwoId: 1, startDate: 1, _id: 1 },
  { name: 'schedules_of_team_two' },
);
scheduleSchema.index(...idempotencyIndex);
