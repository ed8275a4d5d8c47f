import type { Duration, ScheduleRow } from '../generated/types.gen.js';
import type { Build, BuildContext, SourceRow } from './build.js';
import { FileError, nameKey, SkippedRow, toExternalId } from './cells.js';
import { instantsOf, type LocalTime, parseDuration, parseLocalTime, toTimeZone } from './dates.js';
import { readOutcome, readPracticeStatus } from './game-outcome.js';
import type { Team } from './teams.js';

/** A game with its teams: the owner is one of the organization, the opponent can be a guest. */
export interface BuiltGame {
  owner: Team;
  opponent: Team | undefined;
  game: ScheduleRow;
  /** The fields of the columns in which fields of the API are. */
  columns: Readonly<Record<string, string>>;
}

export interface GameContext extends BuildContext {
  /** The starts of the games of the same teams on the same day, complete after the file was read once. */
  starts: Map<string, Set<string>>;
}

/** Why a game without a time is skipped. */
export const noTime = 'it has no time yet';

/** The durations that the API has a name for. Any other one becomes an `endDate`. */
const durations: readonly Duration[] = [20, 24, 30, 40, 48, 50, 60];
/** Types of events by their words, or by the numbers of Easy Team Manager. */
const practices = /practice|training|^2$/i;
const games = /^$|game|match|scrimmage|playoff|regular|tournament|pool|league|final|friendly|^[146]$/i;
/** Types of which the cell beside them, such as `Opponent/Event Title`, names no opponent. */
const others = /event|other|meeting|party|dinner|tryout|camp|clinic|picture|photo|blocker|maintenance|^\d+$/i;

/** Builds a game from a row of a schedule. Empty cells are left out, so that they change nothing. */
export const buildGame: Build<BuiltGame, GameContext> = (source, context) => {
  const type = source.get('type');
  const isPractice =
    type === '' ? /\bpractice\b/i.test(source.get('title')) : practices.test(type) && !/game|match/i.test(type);
  const sides = findSides(source, context, isPractice);
  source.label ||= sides.map(({ names }) => names.at(-1) ?? '?').join(' – ');
  const names = sides.flatMap((side) => side.names);
  if (names.some((text) => /^bye( week)?$/i.test(text))) throw new SkippedRow('a bye');
  const hasTeams = sides.every((side) => side.isNamed && (side.name !== 'opponent' || !others.test(type)));
  if (!isPractice && !games.test(type) && !hasTeams) throw new SkippedRow(`no game or practice but "${type}"`);
  if (sides.some((side) => side.names.length === 0)) throw new SkippedRow('its teams are not known yet');

  const time = readTime(source, context);
  const teams = source.attempt(() => findTeams(sides, source.get('division'), context));
  if (!teams || !time) return undefined;
  const { owner, opponent, own, other } = teams;
  const guest = other.names.at(-1) ?? '';
  const both = [keyOf(owner), opponent ? keyOf(opponent) : nameKey(guest)].sort().join(' ');
  const outcome = isPractice
    ? readPracticeStatus(source)
    : readOutcome(source, [source.get(own.score), source.get(other.score)], time.startDate);
  const externalId = claimId(source, { ...time, both, outcome: JSON.stringify(outcome) }, context);
  const location = source.all('location', 'surface').join(', ');
  const game: ScheduleRow = {
    externalId,
    ...time.fields,
    eventType: isPractice ? 'practice' : 'game',
    ...(!isPractice && type && { isScrimmage: /scrimmage|practice|^4$/i.test(type) }),
    ...(!opponent && { teamTwoId: null, teamTwoName: guest }),
    ...(location && { locationName: location }),
    ...outcome,
  };
  const columns = {
    teamOneScore: own.score,
    teamTwoScore: other.score,
    teamTwoName: other.name,
    forfeitedBy: 'status',
    endDate: time.end,
  };
  return { owner, opponent, game, columns };
};

/** A side of a game: its ID and name as far as the file has them, and the fields of the columns of name and score. */
interface Side {
  names: string[];
  name: string;
  score: string;
  /** Whether a column for the name of a side has one. */
  isNamed: boolean;
  /** Undefined if the file does not say who plays at home. */
  isHome: boolean | undefined;
}

const awayWords = /^(0|a|away|visitor|no|false|@)$/i;

/** Returns the sides of a game; both are the team itself in a practice. */
function findSides(source: SourceRow, { team }: BuildContext, isPractice: boolean): [Side, Side] {
  const side = (fields: string[], score: string, isHome: boolean | undefined): Side => {
    const names = source.all(...fields).filter((text) => text !== '0');
    return { names, name: fields.at(-1) ?? '', score, isNamed: names.length > 0, isHome };
  };
  const isSecondHome = /^(0|n|no|false)$/i.test(source.get('teamOneIsHome'));
  const home = side(['homeId', 'home'], 'homeScore', !isSecondHome);
  const away = side(['awayId', 'away'], 'awayScore', isSecondHome);
  if (isPractice && home.isNamed) return [home, home];
  if (home.isNamed || away.isNamed) return isSecondHome ? [away, home] : [home, away];
  const venue = source.get('homeOrAway');
  const isGuest = awayWords.test(venue);
  const isKnown = isGuest || /^(h|home|1|y|yes|true)$/i.test(venue);
  const own = side(['team'], 'teamScore', isKnown ? !isGuest : undefined);
  const other = side(['opponent'], 'opponentScore', isKnown ? isGuest : undefined);
  // `vs Owls` and `@ Owls`, or a title such as `Week 1: Hawks vs Owls`. The list of the other team can say `vs` for both.
  const [opponent = source.get('title').replace(/^[^:]*:\s+/, '')] = other.names;
  const [, first, second] = /^(?:(.*?\S)\s+)?(?:vs?\.?|@|at)\s+(.+)$/i.exec(opponent) ?? [];
  if (second !== undefined) other.names = [second];
  if (first !== undefined && !own.isNamed && !isPractice) own.names = [first];
  if (own.names.length === 0 && team) own.names = [team._id ?? '', team.name];
  own.isNamed = own.names.length > 0;
  return isPractice ? [own, own] : isGuest ? [other, own] : [own, other];
}

/** Returns the owner of a game and its opponent, with their sides, the same from both teams' lists. */
function findTeams([first, second]: [Side, Side], division: string, { teams }: BuildContext) {
  const [one, two] = [first, second].map((side) => teams.find(side.names, division));
  const isSwapped = !one || (two && first.isHome === undefined && keyOf(one) > keyOf(two));
  const [own, other] = isSwapped ? [second, first] : [first, second];
  // A game has a team of the organization: if neither is one, this says so.
  const owner = (isSwapped ? two : one) ?? teams.require([...first.names, ...second.names], division);
  return { owner, opponent: one && two && (isSwapped ? one : two), own, other };
}

function keyOf(team: Team): string {
  return team._id ?? team.name;
}

/**
 * Returns the ID of the file, or one of the day and the teams, and from the second start of that day on, of a number.
 *
 * @throws SkippedRow for the same game from the other team's list
 */
function claimId(
  { id, externalId, row }: SourceRow,
  { day, startDate, both, outcome }: { day: string; startDate: string; both: string; outcome: string },
  { seen, starts }: GameContext,
): string {
  const generated = toExternalId(`${day}.${both}`.replace(/[^\p{L}\p{N}.-]+/gu, '-')).slice(0, 120);
  const ofDay = starts.get(generated) ?? new Set();
  if (id === '') starts.set(generated, ofDay.add(startDate));
  const number = [...ofDay].sort().indexOf(startDate) + 1;
  const claimed = id !== '' ? externalId : number === 1 ? generated : `${generated}.${number}`;
  const game = `${startDate} ${both}`;
  const same = seen.get(game);
  const isOther = same && same.what !== outcome;
  if (same) throw new SkippedRow(`the game of line ${same.line}${isOther ? ', but with another status or score' : ''}`);
  const first = id === '' ? undefined : seen.get(claimed);
  if (first) throw new FileError(`it repeats the ID "${id}" of line ${first.line}`);
  seen.set(game, { line: row.line, what: outcome }).set(claimed, { line: row.line, what: game });
  return claimed;
}

/** Returns the start and end of a game, undefined with faults. @throws SkippedRow if the row has no time yet */
function readTime(source: SourceRow, { dates, zone: zoneOfAll }: BuildContext) {
  const read = (...fields: string[]) => source.attempt(() => parseLocalTime(source.all(...fields).join(' '), dates));
  const [start, end] = [read('date', 'time'), read('end', 'endTime')];
  const [zoneText] = source.all('timeZone');
  const zone = toTimeZone(zoneText ?? zoneOfAll ?? '');
  if (!start) return undefined;
  if (!start.instant && (start.day === undefined || start.minutes === undefined)) throw new SkippedRow(noTime);
  if (!zone && zoneText) source.faults.push(`${source.quote('timeZone')} is no time zone such as America/Denver`);
  if (!zone && !zoneText && !start.instant)
    throw new FileError('in which time zone are the times? Add --zone America/New_York, or another one');
  const startDate = start.instant ?? toInstant(source, start, zone);
  if (!startDate) return undefined;
  const endField = source.all('end').length > 0 ? 'end' : 'endTime';
  let endDate = end?.instant;
  if (end?.minutes !== undefined) {
    const local = endAfter(start, end);
    endDate = toInstant(source, local, zone);
    if (local.day !== (end.day ?? start.day) && Number(endDate) - startDate.getTime() > 6 * 3_600_000)
      source.warnings.push(`${source.quote(endField)} is taken as the next morning`);
  }
  const [length] = source.all('duration').filter((text) => !/^0+$/.test(text));
  const duration = length === undefined ? undefined : parseDuration(length);
  if (length !== undefined && duration === undefined && !endDate)
    source.faults.push(`${source.quote('duration')} is no duration such as 45 or 1:30`);
  const named = endDate ? undefined : durations.find((each) => each === duration);
  if (!endDate && duration !== undefined && named === undefined)
    endDate = new Date(startDate.getTime() + duration * 60_000);
  const fields = {
    startDate: startDate.toISOString(),
    ...(endDate && { endDate: endDate.toISOString() }),
    ...(named !== undefined && { duration: named }),
    ...(zone !== undefined && { timeZone: zone }),
  };
  const day = new Date(start.day ?? startDate.getTime()).toISOString().slice(0, 10);
  return {
    startDate: fields.startDate,
    day,
    fields,
    end: source.all('end', 'endTime').length > 0 ? endField : 'duration',
  };
}

/** Returns an end, which can be after midnight without its own date, or lack the PM of the start. */
function endAfter({ day, minutes: from = 0, hasHalf }: LocalTime, end: LocalTime): LocalTime {
  const { minutes = 0 } = end;
  if (end.day !== undefined || day === undefined || minutes > from) return { day, ...end };
  const isHalfMissing = hasHalf === true && end.hasHalf !== true && minutes + 720 > from && minutes < 720;
  return isHalfMissing ? { day, minutes: minutes + 720 } : { day: day + 86_400_000, minutes };
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
