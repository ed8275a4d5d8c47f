import { ChoiceField, NumberField } from '../../validation/fields.js';
import { field } from '../../validation/field.js';
import { Rule } from '../../validation/rules.js';
import { SyncedRecord } from '../../records/synced-record.schema.js';
import { ianaTimeZone } from './time-zone.js';

export const scheduleStatuses = ['scheduled', 'postponed', 'cancelled', 'final', 'forfeited'] as const;
export type ScheduleStatus = (typeof scheduleStatuses)[number];
/** Those that few schedules have. */
export const unusualStatuses = scheduleStatuses.filter((status) => status !== 'scheduled');
/** Those of games that have a result. */
export const decidedStatuses = ['final', 'forfeited'] as const satisfies readonly ScheduleStatus[];
const forfeitingSides = ['teamOne', 'teamTwo', 'both'] as const;

const timeZonePattern = '^[A-Za-z][A-Za-z0-9_+/-]{1,63}$';
const score = { minimum: 0, maximum: 999, integer: true, example: 21, clearable: true };

/** The fields of a schedule that say how a game ended, and which clock its times refer to. */
export abstract class GameOutcome extends SyncedRecord {
  @ChoiceField({
    description: 'Whether the game or practice takes place, and whether the game is decided.',
    enumName: 'ScheduleStatus',
    choices: scheduleStatuses,
    // All examples together are a valid outcome.
    example: 'forfeited',
    createDefault: 'scheduled',
    ifMissing: 'scheduled',
  })
  status!: ScheduleStatus;

  @NumberField({ description: 'The score of the owning team. Sent and cleared with `teamTwoScore`.', ...score })
  teamOneScore?: number;

  @NumberField({ description: 'The score of the opponent. Sent and cleared with `teamOneScore`.', ...score })
  teamTwoScore?: number;

  @ChoiceField({
    description: 'The side that forfeited the game. Only with the status `forfeited`, which requires it.',
    enumName: 'ForfeitingSide',
    choices: forfeitingSides,
    example: 'teamTwo',
    clearable: true,
  })
  forfeitedBy?: (typeof forfeitingSides)[number];

  @field(
    {
      description:
        'The IANA time zone whose local time clients show: `UTC` or a name such as `America/Denver`, in any case. No abbreviations. All times of the API stay in UTC; beside it, `startDate` and `endDate` need an offset.',
      example: 'America/Denver',
      clearable: true,
    },
    {
      convert: (sent) => (typeof sent === 'string' ? (ianaTimeZone(sent.trim()) ?? sent) : sent),
      schema: { type: String, pattern: timeZonePattern },
      stored: 'String',
    },
    Rule('isTimeZone', (value) =>
      ianaTimeZone(value) === undefined ? 'must be UTC or an IANA time zone such as America/Denver' : undefined,
    ),
  )
  timeZone?: string;
}
