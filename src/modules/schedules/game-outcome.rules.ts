import type { FieldProblem } from '../../errors/service-error.js';
import type { Schedule } from './schedule.schema.js';

const scores = ['teamOneScore', 'teamTwoScore'] as const;
export const outcomeFields = ['eventType', 'status', 'forfeitedBy', ...scores] as const;

/** The fields that say how a game ended. A stored schedule without `status` is scheduled. */
type Outcome = Partial<Pick<Schedule, (typeof outcomeFields)[number]>>;

/** Returns the problems of the outcome of a schedule as it is after a request. */
export function validateOutcome({ eventType, status, forfeitedBy, ...sides }: Outcome): FieldProblem[] {
  const isPractice = eventType === 'practice';
  const isCalledOff = status === 'postponed' || status === 'cancelled';
  const isForfeited = status === 'forfeited' && !isPractice;
  const problems: FieldProblem[] = [];
  const reject = (field: keyof Outcome, problem: string) => problems.push({ field, message: `${field} ${problem}` });
  if (isPractice && (status === 'final' || status === 'forfeited'))
    reject('status', 'of a practice must be scheduled, postponed or cancelled');
  for (const field of scores) {
    const other = field === 'teamOneScore' ? 'teamTwoScore' : 'teamOneScore';
    const hasScore = sides[field] !== undefined;
    const cleared = 'must be omitted or cleared with null: a';
    if (hasScore && isPractice) reject(field, `${cleared} practice has no scores`);
    if (hasScore && isCalledOff) reject(field, `${cleared} postponed or cancelled game has no scores`);
    if (!hasScore && status === 'final' && !isPractice) reject(field, 'is required if status is final');
    if (!hasScore && status !== 'final' && sides[other] !== undefined)
      reject(field, `is required if ${other} is set: scores are sent and cleared together`);
  }
  if (isForfeited && forfeitedBy === undefined) reject('forfeitedBy', 'is required if status is forfeited');
  if (!isForfeited && forfeitedBy !== undefined)
    reject('forfeitedBy', 'must be omitted or cleared with null unless a game is forfeited');
  return problems;
}
