import type { Duration, ScheduleRow, ScheduleStatus } from '../generated/types.gen.js';
import { type Build, type BuildContext, SkippedRow, type SourceRow } from './build.js';
import { FileError, isPlaceholder, nameKey, toExternalId } from './cells.js';
import { instantsOf, type LocalTime, parseLocalTime, toTimeZone } from './dates.js';
import type { Team } from './teams.js';

/** A game with its teams: the owner is one of the organization, the opponent can be a guest. */
export interface BuiltGame {
  owner: Team;
  opponent: Team | undefined;
  game: ScheduleRow;
}

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
/** The durations that the API has a name for. Any other one becomes an `endDate`. */
const durations: readonly number[] = [20, 24, 30, 40, 48, 50, 60] satisfies Duration[];
/** Types of events by their words, or by the numbers of Easy Team Manager. */
const practices = /practice|training|^2$/i;
const games = /^$|game|match|scrimmage|playoff|regular|tournament|pool|league|final|friendly|^[146]$/i;

/** Builds a game from a row of a schedule. Empty cells are left out, so that they change nothing. */
export const buildGame: Build<BuiltGame, BuildContext> = (source, context) => {
  const type = source.get('type');
  const isPractice = practices.test(type) || (type === '' && /\bpractice\b/i.test(source.get('title')));
  const sides = findSides(source, context, isPractice);
  source.label ||= sides.map(({ names }) => names.at(-1) ?? '?').join(' – ');
  const names = sides.flatMap((side) => side.names);
  if (names.some((text) => /^bye( week)?$/i.test(text))) throw new SkippedRow('a bye');
  if (!isPractice && !games.test(type)) throw new SkippedRow(`no game or practice but "${type}"`);
  if (sides.some((side) => side.names.length === 0)) throw new SkippedRow('its teams are not known yet');

  const time = readTime(source, context);
  const teams = source.attempt(() => findTeams(sides, source.get('division'), context));
  if (!teams || !time) return undefined;
  const { owner, opponent, guest, scores } = teams;
  const both = [keyOf(owner), opponent ? keyOf(opponent) : nameKey(guest)].sort().join(' ');
  const externalId = claimId(source, `${time.startDate} ${both}`, `${time.day}.${both}`, context);
  const location = source.all('location', 'surface').join(', ');
  const game: ScheduleRow = {
    externalId,
    ...time.fields,
    ...(isPractice ? { eventType: 'practice' } : { eventType: 'game', isScrimmage: /scrimmage|^4$/i.test(type) }),
    ...(!opponent && { teamTwoName: guest }),
    ...(location && { locationName: location }),
    ...(!isPractice && readOutcome(source, scores)),
  };
  return { owner, opponent, game };
};

/** A side of a game: its ID and name as far as the file has them, and its score. */
interface Side {
  names: string[];
  score: string;
  /** Undefined if the file does not say who plays at home. */
  isHome: boolean | undefined;
}

/** Returns the sides of a game; both are the team itself in a practice. */
function findSides(source: SourceRow, { team }: BuildContext, isPractice: boolean): [Side, Side] {
  const side = (fields: string[], score: string, isHome: boolean | undefined): Side => ({
    names: source.all(...fields).filter((text) => text !== '0'),
    score: source.get(score),
    isHome,
  });
  const venue = source.get('homeOrAway');
  const isAway = /^(0|a|away|visitor|n|no|false|@)$/i.test(venue);
  const home = side(['homeId', 'home'], 'homeScore', !isAway);
  const away = side(['awayId', 'away'], 'awayScore', isAway);
  if (isPractice && home.names.length > 0) return [home, home];
  if (home.names.length > 0 || away.names.length > 0) return isAway ? [away, home] : [home, away];
  // `vs Owls` and `@ Owls`, or a title such as `Hawks vs Owls`.
  const [opponent = source.get('title')] = source.all('opponent');
  const [, first, word = '', second] = /^(?:(.*?)\s+)?(vs?\.?|@|at)\s+(.+)$/i.exec(opponent) ?? [];
  const isGuest = isAway || /^(@|at)$/i.test(word);
  const isKnown = isGuest || first !== undefined || /^(h|home|1)$/i.test(venue);
  const own = side(['team'], 'teamScore', isKnown ? !isGuest : undefined);
  const other = side(['opponent'], 'opponentScore', isKnown ? isGuest : undefined);
  if (second !== undefined) other.names = [second];
  if (own.names.length === 0) own.names = first ? [first] : team ? [team._id ?? '', team.name] : [];
  return isPractice ? [own, own] : isGuest ? [other, own] : [own, other];
}

/** Returns the owner of a game, its opponent and the scores in this order, the same from both teams' lists. */
function findTeams([first, second]: [Side, Side], division: string, { teams }: BuildContext) {
  const [one, two] = [first, second].map((side) => teams.find(side.names, division));
  const isSwapped = !one || (two && first.isHome === undefined && keyOf(one) > keyOf(two));
  const [own, other] = isSwapped ? [second, first] : [first, second];
  // A game has a team of the organization: if neither is one, this says so.
  const owner = (isSwapped ? two : one) ?? teams.require([...first.names, ...second.names], division);
  return {
    owner,
    opponent: one && two && (isSwapped ? one : two),
    guest: other.names.at(-1) ?? '',
    scores: [own.score, other.score],
  };
}

function keyOf(team: Team): string {
  return team._id ?? team.name;
}

/**
 * Returns the ID of the file, or one of the day and the teams, and from their second game of that day on, of a number.
 *
 * @throws SkippedRow for the same game from the other team's list
 */
function claimId({ id, externalId, row }: SourceRow, game: string, base: string, { seen }: BuildContext): string {
  const generated = toExternalId(base.replace(/[^\p{L}\p{N}.-]+/gu, '-')).slice(0, 120);
  const candidate = (number: number) => (id !== '' ? externalId : number === 1 ? generated : `${generated}.${number}`);
  let number = 1;
  while (id === '' && (seen.get(candidate(number))?.what ?? game) !== game) number++;
  const first = seen.get(game) ?? seen.get(candidate(number));
  if (first?.what === game) throw new SkippedRow(`the game of line ${first.line}`);
  if (first) throw new FileError(`it repeats the ID "${id}" of line ${first.line}`);
  const claimed = { line: row.line, what: game };
  seen.set(game, claimed).set(candidate(number), claimed);
  return candidate(number);
}

/** Returns the start and end of a game, undefined with faults. @throws SkippedRow if the row has no time yet */
function readTime(source: SourceRow, { dates, zone: zoneOfAll }: BuildContext) {
  const read = (...fields: string[]) => source.attempt(() => parseLocalTime(source.all(...fields).join(' '), dates));
  const [start, end] = [read('date', 'time'), read('end', 'endTime')];
  const zoneText = source.get('timeZone');
  const zone = toTimeZone(zoneText || (zoneOfAll ?? ''));
  if (!start) return undefined;
  if (!start.instant && (start.day === undefined || start.minutes === undefined))
    throw new SkippedRow('it has no time yet');
  if (!zone && zoneText) source.faults.push(`${source.quote('timeZone')} is no time zone such as America/Denver`);
  if (!zone && !zoneText && !start.instant)
    throw new FileError('in which time zone are the times? Add --zone America/New_York, or another one');
  const startDate = start.instant ?? toInstant(source, start, zone);
  if (!startDate) return undefined;
  const hasEnd = end?.minutes !== undefined || end?.instant !== undefined;
  let endDate = hasEnd ? (end.instant ?? toInstant(source, { day: start.day, ...end }, zone)) : undefined;
  // An end after midnight without its own date.
  if (endDate && endDate <= startDate && end?.day === undefined) endDate = new Date(endDate.getTime() + 86_400_000);
  const [, hours = 0, minutes = Number.NaN] = /^(?:(\d+):)?(\d+)\s*(?:min.*)?$/i.exec(source.get('duration')) ?? [];
  const duration = Number(hours) * 60 + Number(minutes);
  const isNamed = durations.includes(duration);
  if (!endDate && duration > 0 && !isNamed) endDate = new Date(startDate.getTime() + duration * 60_000);
  const fields = {
    startDate: startDate.toISOString(),
    ...(endDate && { endDate: endDate.toISOString() }),
    ...(!endDate && isNamed && { duration: duration as Duration }),
    ...(zone !== undefined && { timeZone: zone }),
  };
  const day = new Date(start.day ?? startDate.getTime()).toISOString().slice(0, 10);
  return { startDate: fields.startDate, day, fields };
}

/** Returns the instant of a clock time; undefined with a fault if the clock never shows it. */
function toInstant(
  { faults, warnings }: SourceRow,
  { day = 0, minutes = 0 }: LocalTime,
  zone = 'UTC',
): Date | undefined {
  const local = day + minutes * 60_000;
  const instants = instantsOf(local, zone);
  const text = new Date(local).toISOString().slice(0, 16).replace('T', ' ');
  if (instants.length === 0) faults.push(`${text} does not exist in ${zone}: the clocks go forward`);
  if (instants.length > 1) warnings.push(`${text} happens twice in ${zone}, as the clocks go back: the first is taken`);
  return instants[0];
}

/** Returns the status, and the scores of a game that is over. */
function readOutcome(source: SourceRow, scores: string[]) {
  const word = source.get('status');
  const status = statuses.get(nameKey(word).replaceAll(' ', ''));
  if (word && !isPlaceholder(word) && !status) source.warnings.push(`${source.quote('status')} is not a known status`);
  const [one, two] = scores.map((score) => (/^\d+$/.test(score) ? Number(score) : undefined));
  // The scores of an unknown word, such as "In Progress", can still change.
  const isOver = status === 'final' || status === 'forfeited' || !word || isPlaceholder(word);
  if (!isOver || one === undefined || two === undefined) return { ...(status && { status }) };
  const forfeitedBy = one === two ? ('both' as const) : one < two ? ('teamOne' as const) : ('teamTwo' as const);
  const outcome = { status: status ?? ('final' as const), teamOneScore: one, teamTwoScore: two };
  return status === 'forfeited' ? { ...outcome, forfeitedBy } : outcome;
}
