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

const maxTiebreakers = 20;

export const tiebreakersText = `The criteria that split equal teams, in order. \`headToHead\`: the win percentage in the games among them, if each has played another of them; \`headToHeadOfTwo\`: the same, but only of exactly two teams. \`strengthOfSchedule\`: the mean win percentage of the opponents, each counted once per game. Fewer \`pointsAgainst\` and \`forfeits\` are better. \`pointsFor\`, \`pointsAgainst\` and \`pointDifference\` are compared per game if the equal teams have played different numbers of games. Default: \`${defaultTiebreakers.join(',')}\`.`;

const counted = { minimum: 0, maximum: 99, integer: true } as const;
const capped = 'At most this much of the point difference of each game counts. Default: all of it.';
export const differenceCap = { description: capped, ...counted, minimum: 1 } as const;
export const winPoints = { description: 'What a win adds to `points`. Default: 2.', ...counted } as const;
export const tiePoints = { description: 'What a tie adds to `points`. Default: 1.', ...counted } as const;
export const forfeitScoreText =
  'The score of a forfeit that has no scores. If both sides forfeit, each has `loser`. Default: no points.';

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
    { description: tiebreakersText, example: defaultTiebreakers },
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

  @NumberField({ ...differenceCap, example: 28 })
  differenceCap?: number;

  @NumberField({ ...winPoints, example: 3 })
  winPoints?: number;

  @NumberField({ ...tiePoints, example: 1 })
  tiePoints?: number;

  @NestedField({ description: forfeitScoreText, type: ForfeitScore })
  forfeitScore?: ForfeitScore;
}
