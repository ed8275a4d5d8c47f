import type { FieldProblem } from '../../errors/service-error.js';
import type { Schedule } from './schedule.schema.js';

const scores = ['teamOneScore', 'teamTwoScore'] as const;
export const outcomeFields = ['eventType', 'status', 'forfeitedBy', ...scores] as const;

/** The fields that say how a game ended. A stored schedule without `status` is scheduled. */
type Outcome = Partial<Pick<Schedule, (typeof outcomeFields)[number]>>;

interface OutcomeRule {
  readonly field: keyof Outcome;
  readonly message: string;
  readonly isBroken: (outcome: Outcome) => boolean;
}

const isPractice = ({ eventType }: Outcome): boolean => eventType === 'practice';
const isCalledOff = ({ status }: Outcome): boolean => status === 'postponed' || status === 'cancelled';

/** What must hold for the outcome of a schedule as it is after a request. */
const outcomeRules: readonly OutcomeRule[] = [
  {
    field: 'status',
    message: 'status of a practice must be scheduled, postponed or cancelled',
    isBroken: (outcome) => isPractice(outcome) && (outcome.status === 'final' || outcome.status === 'forfeited'),
  },
  ...scores.flatMap((field, index): OutcomeRule[] => {
    const other = scores[1 - index] ?? field;
    const has = (outcome: Outcome) => outcome[field] !== undefined;
    return [
      {
        field,
        message: `${field} must be omitted or cleared with null: a practice has no scores`,
        isBroken: (outcome) => has(outcome) && isPractice(outcome),
      },
      {
        field,
        message: `${field} must be omitted or cleared with null: a postponed or cancelled game has no scores`,
        isBroken: (outcome) => has(outcome) && isCalledOff(outcome),
      },
      {
        field,
        message: `${field} is required if status is final`,
        isBroken: (outcome) => !has(outcome) && outcome.status === 'final' && !isPractice(outcome),
      },
      {
        field,
        message: `${field} is required if ${other} is set: scores are sent and cleared together`,
        isBroken: (outcome) => !has(outcome) && outcome.status !== 'final' && outcome[other] !== undefined,
      },
    ];
  }),
  {
    field: 'forfeitedBy',
    message: 'forfeitedBy is required if status is forfeited',
    isBroken: (outcome) => outcome.status === 'forfeited' && outcome.forfeitedBy === undefined && !isPractice(outcome),
  },
  {
    field: 'forfeitedBy',
    message: 'forfeitedBy must be omitted or cleared with null unless a game is forfeited',
    isBroken: (outcome) => outcome.forfeitedBy !== undefined && (outcome.status !== 'forfeited' || isPractice(outcome)),
  },
];

/** Returns the problems of the outcome of a schedule as it is after a request. */
export function validateOutcome(outcome: Outcome): FieldProblem[] {
  return outcomeRules.filter(({ isBroken }) => isBroken(outcome)).map(({ field, message }) => ({ field, message }));
}
