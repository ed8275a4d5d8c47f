import { BooleanField, ChoiceField, InstantField, NumberField, TextField } from '../../common/validation/fields.js';
import {
  durations,
  eventTypes,
  type EventType,
  fieldSizes,
  matchupFormats,
  overtimeTypes,
  type OvertimeType,
  teamFormats,
} from '../schedule-values.js';

/** The fields that both creation and update of a schedule take: their rules, without defaults. */
export class ScheduleFields {
  @ChoiceField({ description: 'What takes place.', choices: eventTypes, example: 'game' })
  eventType?: EventType;

  @InstantField({
    description: 'When it begins: ISO 8601; without a zone it is read as UTC.',
    example: '2027-05-01T10:00:00Z',
  })
  startDate?: Date;

  @InstantField({
    description: 'When it ends, after the beginning: ISO 8601; without a zone it is read as UTC.',
    example: '2027-05-01T10:30:00Z',
  })
  endDate?: Date;

  @TextField({
    description: "The opponent's name as it is shown: a guest's, or another name for the linked team.",
    max: 120,
    example: 'Foxes',
  })
  teamTwoName?: string;

  @ChoiceField({ description: 'How long it takes, in minutes.', choices: durations, example: 30 })
  duration?: number;

  @ChoiceField({ description: 'How the game is divided.', choices: matchupFormats, example: 'halves' })
  matchupFormat?: string;

  @ChoiceField({ description: 'How many play on each side.', choices: teamFormats, example: '7v7' })
  teamFormat?: string;

  @TextField({
    description: 'A note for a practice; tab and newline may stand in it.',
    max: 2_000,
    blank: true,
    lines: true,
    example: 'Bring cones.',
  })
  practiceNote?: string | null;

  @BooleanField({ description: 'Whether it is a game to try things out with.', example: false })
  isTestGame?: boolean;

  @BooleanField({ description: 'Whether it is a scrimmage; a team may play one against itself.', example: false })
  isScrimmage?: boolean;

  @BooleanField({ description: 'Whether yards are counted.', example: true })
  enableYardage?: boolean;

  @BooleanField({ description: 'Whether a drive may start at zero yards.', example: false })
  allowZeroYardStart?: boolean;

  @ChoiceField({ description: 'The length of the field in yards.', choices: fieldSizes, example: 50 })
  fieldSizeInYard?: number;

  @ChoiceField({
    description: 'Whether overtime ends; `limited` needs `overtimeDuration` in the same request.',
    choices: overtimeTypes,
    example: 'limited',
  })
  overtimeType?: OvertimeType;

  @NumberField({ description: 'The length of overtime in minutes.', minimum: 1, example: 10 })
  overtimeDuration?: number;
}
