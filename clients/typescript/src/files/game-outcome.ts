import type { ScheduleRow, ScheduleStatus } from '../generated/types.gen.js';
import type { SourceRow } from './build.js';
import { isPlaceholder, nameKey } from './cells.js';

const statusWords: Record<ScheduleStatus, string> = {
  final: 'final completed complete played finished official f over finalot',
  cancelled: 'cancelled canceled cancel cxl cncl rainedout rainout abandoned',
  postponed: 'postponed ppd pp delayed suspended',
  scheduled: 'scheduled unscheduled upcoming active confirmed published tentative open pending notstarted',
  forfeited: 'forfeited forfeit ff fft defaulted',
};
const statuses = new Map(
  Object.entries(statusWords).flatMap(([status, words]) =>
    words.split(' ').map((word) => [word, status as ScheduleStatus]),
  ),
);
const scoreFields = ['homeScore', 'awayScore', 'teamScore', 'opponentScore'];
const noScores = { teamOneScore: null, teamTwoScore: null };

type Outcome = Pick<ScheduleRow, 'status' | 'teamOneScore' | 'teamTwoScore' | 'forfeitedBy'>;

/** Returns the status of a word, also with a remark, such as `Cancelled - weather` or `Final/OT`. */
function statusOf(text: string): ScheduleStatus | undefined {
  const find = (words: string) => statuses.get(nameKey(words).replaceAll(' ', ''));
  if (/forfeit/i.test(text)) return 'forfeited';
  return find(text) ?? find(text.split(/\s[-–—]|[/(:;,]/, 1)[0] ?? '');
}

/** Returns the status and scores of a game. What they exclude is cleared: a correction can take an outcome back. */
export function readOutcome(source: SourceRow, scores: readonly string[], startDate: string): Outcome {
  const word = source.get('status');
  const isStated = word !== '' && !isPlaceholder(word);
  const found = statusOf(word);
  if (isStated && !found) source.warnings.push(`${source.quote('status')} is not a known status`);
  const [one, two] = scores.map((score) => (/^\d+(\.0+)?$/.test(score) ? Number(score) : undefined));
  const isScored = one !== undefined && two !== undefined;
  // Programs export 0–0 for games to come. The scores of an unknown word, such as "In Progress", can still change.
  const isOver = isScored && !isStated && (one + two > 0 || startDate < new Date().toISOString());
  const status = found ?? (isOver ? 'final' : undefined);
  const hasScores = isScored && (status === 'final' || status === 'forfeited');
  const filled = scoreFields.filter((field) => source.all(field).length > 0);
  if (!hasScores && filled.some((field) => !/^0+(\.0+)?$/.test(source.get(field))))
    source.warnings.push(`no scores are sent: ${filled.map((field) => source.quote(field)).join(', ')}`);
  if (status === undefined) return {};
  const sent = hasScores ? { teamOneScore: one, teamTwoScore: two } : {};
  if (status !== 'forfeited') {
    const isCalledOff = status === 'cancelled' || status === 'postponed';
    return { status, forfeitedBy: null, ...(isCalledOff ? noScores : sent) };
  }
  if (/double|both/i.test(word)) return { status, forfeitedBy: 'both', ...sent };
  if (!isScored) return { status };
  if (one === two)
    source.faults.push(`${source.quote('status')}: who forfeited? Give the winner the higher score, such as 1 and 0`);
  return { status, forfeitedBy: one < two ? 'teamOne' : 'teamTwo', ...sent };
}

/** Returns the status of a practice, which has no scores. */
export function readPracticeStatus(source: SourceRow): Outcome {
  const status = statusOf(source.get('status'));
  return status === undefined || status === 'final' || status === 'forfeited' ? {} : { status };
}
