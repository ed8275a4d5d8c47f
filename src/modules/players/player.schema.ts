import type { Schema } from 'mongoose';
import { Field } from '../../common/validation/field.js';
import { EmailField, RecordIdField, TextField, UrlField } from '../../common/validation/fields.js';
import { textProblem, trim } from '../../common/validation/text.js';
import { recordSchema, type RecordId, StoredRecord, storedFieldsOf } from '../../database/record.js';
import { idempotencyIndex, type IdempotentRecord, idempotentFields } from '../../idempotency/idempotent.repository.js';
import { knownPositions, normalizePosition } from './player.rules.js';

const mostPositions = 8;
const longestPosition = 20;
const jerseyNumber = /^[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]{1,4}$/u;

/** A player on the roster of a team, as partners see and write it. */
export class Player extends StoredRecord {
  @RecordIdField({ description: "The player's id.", example: '6650f1f77bcf86cd79943951', required: true })
  override _id!: RecordId;

  @RecordIdField({
    description: 'The team whose roster the player is on.',
    example: '6650f1f77bcf86cd79943941',
    required: true,
    immutable: true,
  })
  teamId!: RecordId;

  @RecordIdField({
    description: "The organization of the player's team.",
    example: '6650f1f77bcf86cd79943911',
    required: true,
    immutable: true,
  })
  organizationId!: RecordId;

  @TextField({ description: "The player's name.", max: 120, example: 'Jordan Lee', required: true })
  name!: string;

  @EmailField({ description: "The player's email.", example: 'jordan.lee@example.com', clearable: true })
  email?: string;

  @Field({
    description: `The player's positions, the primary one first, without repeats. Known values are ${knownPositions.join(', ')} (in any case); any other text is kept.`,
    example: ['QB', 'WR'],
    response: { description: "The player's positions, the primary one first." },
    required: true,
    convert: (raw) => (Array.isArray(raw) ? raw.map(toPosition) : raw),
    problem: positionProblem,
    schema: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: longestPosition },
      maxItems: mostPositions,
      uniqueItems: true,
    },
    stored: ['String'],
  })
  position!: string[];

  @Field({
    description: 'A text, kept as sent: `00` is another number than `0`.',
    example: '07',
    response: { description: 'The number, as a text.' },
    clearable: true,
    convert: trim,
    problem: (value) =>
      typeof value === 'string' && jerseyNumber.test(value)
        ? undefined
        : 'must be a string of 1 to 4 visible characters',
    schema: { type: String, minLength: 1, maxLength: 4 },
    stored: 'String',
  })
  jerseyNumber?: string;

  @UrlField({
    description: "Where the player's picture is.",
    example: 'https://cdn.example.com/players/jordan-lee.jpg',
    clearable: true,
  })
  profilePicture?: string;
}

function toPosition(raw: unknown): unknown {
  const text = trim(raw);
  return typeof text === 'string' ? normalizePosition(text) : text;
}

function positionProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array of strings';
  if (value.length > mostPositions) return `must have at most ${mostPositions} entries`;
  const wrong = value
    .map((entry) => textProblem(entry, { min: 1, max: longestPosition }))
    .find((problem) => problem !== undefined);
  if (wrong !== undefined)
    return `must be an array of strings of 1 to ${longestPosition} characters: an entry ${wrong}`;
  return new Set(value).size === value.length ? undefined : 'must not repeat a position';
}

/** A player as stored. */
export interface PlayerRecord extends Player, IdempotentRecord {}

export const playerModel = 'Player';

export const playerSchema: Schema<PlayerRecord> = recordSchema<PlayerRecord>('players', {
  ...storedFieldsOf(Player),
  ...idempotentFields,
});

// Serves the list of a team's players in order of creation.
playerSchema.index({ organizationId: 1, teamId: 1, deletedAt: 1, createdAt: 1, _id: 1 }, { name: 'players_of_team' });
playerSchema.index(...idempotencyIndex);
