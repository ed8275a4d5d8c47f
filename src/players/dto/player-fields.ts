import { Field } from '../../common/validation/field.js';
import { EmailField, TextField, UrlField } from '../../common/validation/fields.js';
import { textProblem, trimmed } from '../../common/validation/text.js';
import { knownPositions, normalisePosition } from '../positions.js';

const mostPositions = 8;
const longestPosition = 20;
const jerseyNumber = /^[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]{1,4}$/u;

/** What partners write of a player: the rules of every field; which are required is said by the request. */
export class PlayerFields {
  @TextField({ description: "The player's name.", max: 120, example: 'Jordan Lee' })
  name?: string;

  @EmailField({ description: "The player's email.", example: 'jordan.lee@example.com' })
  email?: string | null;

  @Field({
    convert: (raw) => (Array.isArray(raw) ? raw.map(trimmedPosition) : raw),
    problem: positionProblem,
    schema: {
      description: `The player's positions, the primary one first, without repeats. Known values are ${knownPositions.join(', ')} (in any case); any other text is kept.`,
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: longestPosition },
      maxItems: mostPositions,
      uniqueItems: true,
      example: ['QB', 'WR'],
    },
  })
  position?: string[];

  @Field({
    convert: trimmed,
    problem: (value) =>
      typeof value === 'string' && jerseyNumber.test(value) ? undefined : 'must be a text of 1 to 4 visible characters',
    schema: {
      description: 'A text, kept as sent: `00` is another number than `0`.',
      type: String,
      minLength: 1,
      maxLength: 4,
      example: '07',
    },
  })
  jerseyNumber?: string | null;

  @UrlField({
    description: "Where the player's picture is.",
    example: 'https://cdn.example.com/players/jordan-lee.jpg',
  })
  profilePicture?: string | null;
}

function trimmedPosition(raw: unknown): unknown {
  const text = trimmed(raw);
  return typeof text === 'string' ? normalisePosition(text) : text;
}

function positionProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of texts';
  if (value.length > mostPositions) return `must have at most ${mostPositions} entries`;
  const wrong = value
    .map((entry) => textProblem(entry, { min: 1, max: longestPosition }))
    .find((problem) => problem !== undefined);
  if (wrong !== undefined) return `must be a list of texts of 1 to ${longestPosition} characters: an entry ${wrong}`;
  return new Set(value).size === value.length ? undefined : 'must not repeat a position';
}
