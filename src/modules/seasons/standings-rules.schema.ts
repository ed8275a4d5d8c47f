import { field } from '../../validation/field.js';
import { NestedField, NumberField } from '../../validation/fields.js';
import { Rule } from '../../validation/rules.js';

export const tiebreakers = [
  'winPercentage',
  'headToHead',
  'headToHeadOfTwo',
  'pointDifference',
  'pointsAgainst',
  'pointsFor',
  'points',
  'strengthOfSchedule',
  'forfeits',
  'wins',
] as const;
export type Tiebreaker = (typeof tiebreakers)[number];

/** The order of seasons without `tiebreakers`; the list above has no order. */
export const defaultTiebreakers: readonly Tiebreaker[] = [
  'winPercentage',
  'headToHead',
  'pointsAgainst',
  'pointDifference',
  'pointsFor',
];

export const maxTiebreakers = 20;

export const tiebreakersText = `The criteria that split equal teams, in order. \`headToHead\`: the win percentage in the games among them, if each has played another of them; \`headToHeadOfTwo\`: the same, but only of exactly two teams. \`strengthOfSchedule\`: the mean win percentage of the opponents, each counted once per game. Fewer \`pointsAgainst\` and \`forfeits\` are better. \`pointsFor\`, \`pointsAgainst\` and \`pointDifference\` are compared per game if the equal teams have played different numbers of games.`;

const counted = { minimum: 0, maximum: 99, integer: true } as const;
const capped = 'At most this much of the point difference of each game counts.';
export const differenceCap = { description: capped, ...counted, minimum: 1 } as const;
export const winPoints = { description: 'What a win adds to `points`.', ...counted } as const;
export const tiePoints = { description: 'What a tie adds to `points`.', ...counted } as const;
export const forfeitScoreText =
  'The score of a forfeit that has no scores. If both sides forfeit, both lose, and each has `loser`.';

/** Describes what a season without a rule has. */
function withDefault<T extends { readonly description: string }>(rule: T, value: string): T {
  return { ...rule, description: `${rule.description} Default: ${value}.` };
}

const score = { minimum: 0, maximum: 999, integer: true, required: true } as const;

export class ForfeitScore {
  @NumberField({ description: 'The points of the side that wins.', ...score, example: 1 })
  winner!: number;

  @NumberField({ description: 'The points of a side that forfeits.', ...score, example: 0 })
  @Rule('isLess', (loser, { winner }) => (Number(loser) > Number(winner) ? 'must be at most winner' : undefined))
  loser!: number;
}

/** The rules of a season's standings. Queries override single ones. */
export class StandingsRules {
  @field(
    withDefault({ description: tiebreakersText, example: defaultTiebreakers }, `\`${defaultTiebreakers.join(',')}\``),
    {
      schema: { isArray: true, enum: [...tiebreakers], enumName: 'Tiebreaker', minItems: 1, maxItems: maxTiebreakers },
    },
    Rule('isTiebreakers', (sent) => {
      const isValid = Array.isArray(sent) && sent.every((one) => tiebreakers.includes(one as Tiebreaker));
      if (isValid && sent.length > 0 && sent.length <= maxTiebreakers) return undefined;
      return `must be an array of 1 to ${maxTiebreakers} of ${tiebreakers.join(', ')}`;
    }),
  )
  tiebreakers?: Tiebreaker[];

  @NumberField(withDefault({ ...differenceCap, example: 28 }, 'all of it'))
  differenceCap?: number;

  @NumberField(withDefault({ ...winPoints, example: 3 }, '2'))
  winPoints?: number;

  @NumberField(withDefault({ ...tiePoints, example: 1 }, '1'))
  tiePoints?: number;

  @NestedField(withDefault({ description: forfeitScoreText, type: ForfeitScore }, 'no points'))
  forfeitScore?: ForfeitScore;
}
