import type { RecordId } from '../../database/record.js';
import { sortInSteps, type Steps } from '../../http/turns.js';
import { compareNames, compareText } from '../../validation/text.js';
import type { Schedule } from '../schedules/schedule.schema.js';
import { defaultTiebreakers, type StandingsRules, type Tiebreaker } from '../seasons/standings-rules.schema.js';
import type { StandingResponse } from './standing.dto.js';

/** A team of the season. Archived teams are ranked only if they played. */
export interface RankedTeam {
  readonly id: string;
  readonly name: string;
  readonly externalId?: string;
  readonly isArchived: boolean;
}

/** A decided game between two teams: `final`, or `forfeited` if a side forfeited it. */
export interface DecidedGame extends Pick<Schedule, 'teamOneScore' | 'teamTwoScore' | 'forfeitedBy'> {
  readonly teamOneId: RecordId | string;
  readonly teamTwoId?: RecordId | string;
}

/** A game from the side of one team: 2 half wins are a win, 1 is a tie. */
interface Result {
  readonly opponent: Row;
  readonly halfWins: number;
  readonly opponentHalfWins: number;
}

interface Row {
  readonly standing: Omit<StandingResponse, 'rank'>;
  readonly results: Result[];
  /** While a group is split head to head, the part that the team is in, and its results within it. */
  group: Group;
  games: number;
  halfWins: number;
}

/** Teams by their win percentage in the games among them; -1 without games. */
type Group = Map<number, Set<Row>>;

/** Teams that are equal so far, and the criterion that put them above the next ones. */
interface Place {
  readonly rows: readonly Row[];
  readonly decidedBy: Tiebreaker | undefined;
}

/** Takes the teams that were equal until a criterion compared them. */
type OnCompared = (criterion: Tiebreaker, group: readonly Row[], valueOf: (row: Row) => number | null) => void;

/**
 * Ranks the teams of a season by their games against each other; other games do not count. Each criterion splits groups of
 * equal teams. Teams that are equal in everything share a rank and are listed by name, then ID. Teams without games come last.
 */
export function* rankTeams(
  teams: readonly RankedTeam[],
  games: readonly DecidedGame[],
  rules: StandingsRules = {},
  onCompared?: OnCompared,
): Steps<StandingResponse[]> {
  const archived = new Set(teams.filter(({ isArchived }) => isArchived).map(({ id }) => id));
  const rows = (yield* countGames(teams, games, rules)).filter(
    ({ standing: { teamId, played } }) => played > 0 || !archived.has(teamId),
  );
  let places = placesOf(yield* splitByValue(rows, ({ standing }) => Math.sign(standing.played)), 'winPercentage');
  for (const criterion of rules.tiebreakers ?? defaultTiebreakers) {
    const split: Place[][] = [];
    for (const { rows, decidedBy } of places)
      split.push(placesOf(yield* splitBy(rows, criterion, onCompared), criterion, decidedBy));
    places = split.flat();
  }
  const ranked: StandingResponse[] = [];
  for (const { rows, decidedBy } of places) {
    const rank = ranked.length + 1;
    const decided = rows.length === 1 && decidedBy !== undefined && { decidedBy };
    for (const { standing } of yield* sortInSteps(rows, compareRows)) ranked.push({ rank, ...standing, ...decided });
  }
  return ranked;
}

/** Returns the parts of a group: the last one is above the next group by what put the whole group there. */
function placesOf(parts: readonly (readonly Row[])[], criterion: Tiebreaker, ofGroup?: Tiebreaker): Place[] {
  return parts.map((rows, index) => ({ rows, decidedBy: index < parts.length - 1 ? criterion : ofGroup }));
}

function* countGames(teams: readonly RankedTeam[], games: readonly DecidedGame[], rules: StandingsRules): Steps<Row[]> {
  const rows = new Map(teams.map((team) => [team.id, createRow(team)]));
  const { winner = 0, loser = 0 } = rules.forfeitScore ?? {};
  for (const { teamOneId, teamTwoId, forfeitedBy, ...scores } of games) {
    yield;
    const one = rows.get(String(teamOneId));
    const two = rows.get(String(teamTwoId));
    if (one === undefined || two === undefined || one === two) continue;
    const oneForfeits = forfeitedBy === 'teamOne' || forfeitedBy === 'both';
    const twoForfeits = forfeitedBy === 'teamTwo' || forfeitedBy === 'both';
    const { teamOneScore = oneForfeits ? loser : winner, teamTwoScore = twoForfeits ? loser : winner } = scores;
    const ones = oneForfeits ? 0 : twoForfeits ? 2 : 1 + Math.sign(teamOneScore - teamTwoScore);
    const twos = twoForfeits ? 0 : oneForfeits ? 2 : 1 + Math.sign(teamTwoScore - teamOneScore);
    one.results.push({ opponent: two, halfWins: ones, opponentHalfWins: twos });
    two.results.push({ opponent: one, halfWins: twos, opponentHalfWins: ones });
    addGame(one.standing, rules, ones, oneForfeits, teamOneScore, teamTwoScore);
    addGame(two.standing, rules, twos, twoForfeits, teamTwoScore, teamOneScore);
  }
  return [...rows.values()];
}

function createRow({ id, name, externalId }: RankedTeam): Row {
  const standing = {
    ...{ teamId: id, teamName: name, ...(externalId !== undefined && { externalId }) },
    ...{ played: 0, wins: 0, losses: 0, ties: 0, forfeits: 0 },
    ...{ pointsFor: 0, pointsAgainst: 0, pointDifference: 0, winPercentage: null, points: 0 },
  };
  return { standing, results: [], group: new Map(), games: 0, halfWins: 0 };
}

function addGame(
  standing: Row['standing'],
  { differenceCap = Infinity, winPoints = 2, tiePoints = 1 }: StandingsRules,
  halfWins: number,
  isForfeit: boolean,
  own: number,
  others: number,
): void {
  standing.played++;
  standing[halfWins === 2 ? 'wins' : halfWins === 1 ? 'ties' : 'losses']++;
  if (isForfeit) standing.forfeits++;
  standing.pointsFor += own;
  standing.pointsAgainst += others;
  standing.pointDifference += Math.max(-differenceCap, Math.min(differenceCap, own - others));
  standing.winPercentage = winPercentage(standing.played, 2 * standing.wins + standing.ties);
  standing.points = winPoints * standing.wins + tiePoints * standing.ties;
}

/** Returns (wins + ties / 2) / games, rounded from integers to three decimals, half away from zero; null without games. */
function winPercentage(games: number, halfWins: number): number | null {
  return games === 0 ? null : Math.floor((1_000 * halfWins + games) / (2 * games)) / 1_000;
}

/** The win percentage in the games within a group that is split head to head. */
const percentageWithin = ({ games, halfWins }: Row) => winPercentage(games, halfWins);

/** The mean of the opponents' exact percentages, each counted once per game, with three decimals. */
function strengthOfSchedule({ results }: Row): number | null {
  const percentageOf = ({ opponent: { standing } }: Result) => (standing.wins + standing.ties / 2) / standing.played;
  const sum = results.reduce((total, result) => total + percentageOf(result), 0);
  // Sums of the same fractions in another order differ in their last digits.
  return results.length === 0 ? null : Math.floor((1_000 * sum) / results.length + 0.5 + 1e-9) / 1_000;
}

const fewerFirst: readonly Tiebreaker[] = ['pointsAgainst', 'forfeits'];
const comparedPerGame: readonly Tiebreaker[] = ['pointDifference', 'pointsAgainst', 'pointsFor'];

function* splitBy(group: readonly Row[], criterion: Tiebreaker, onCompared?: OnCompared): Steps<(readonly Row[])[]> {
  yield;
  if (group.length === 1) return [group];
  if (criterion === 'headToHead' || criterion === 'headToHeadOfTwo') {
    const applies = criterion === 'headToHead' || group.length === 2;
    return applies ? yield* splitByHeadToHead(group, criterion, onCompared) : [group];
  }
  const isPerGame =
    comparedPerGame.includes(criterion) && new Set(group.map(({ standing }) => standing.played)).size > 1;
  // Percentages are compared as they are shown.
  const valueOf = (row: Row) => {
    const value = criterion === 'strengthOfSchedule' ? strengthOfSchedule(row) : row.standing[criterion];
    return isPerGame && value !== null ? value / row.standing.played : value;
  };
  onCompared?.(criterion, group, valueOf);
  const sign = fewerFirst.includes(criterion) ? -1 : 1;
  return yield* splitByValue(group, (row) => sign * (valueOf(row) ?? -1));
}

/**
 * Splits a group by the win percentage in the games within it, and each smaller group of equal teams again. Does not
 * apply if one of the teams played none of the others. The largest part stays and only loses the games against the others, so
 * that a team leaves few times, even if thousands of splits follow each other.
 */
function* splitByHeadToHead(rows: readonly Row[], criterion: Tiebreaker, onCompared?: OnCompared): Steps<Row[][]> {
  const split: Row[][] = [];
  const open = [yield* separate(rows, new Map())];
  for (let group = open.pop(); group !== undefined; group = open.pop()) {
    const parts = [...group].sort(([a], [b]) => a - b).map(([, part]) => part);
    const applies = !group.has(-1);
    if (applies)
      onCompared?.(
        criterion,
        parts.flatMap((part) => [...part]),
        percentageWithin,
      );
    if (parts.length === 1 || !applies) {
      split.push(parts.flatMap((part) => [...part]));
      continue;
    }
    const largest = parts.reduce((one, other) => (other.size > one.size ? other : one));
    const leaving = parts.map((part) => (part === largest ? undefined : [...part]));
    for (const part of leaving) open.push(part === undefined ? group : yield* separate(part, group));
  }
  return split;
}

/** Makes teams a group of their own, and takes the games against them out of the group that they leave. */
function* separate(rows: readonly Row[], left: Group): Steps<Group> {
  const group: Group = new Map();
  for (const row of rows) move(row, group, -row.games, -row.halfWins);
  for (const row of rows) {
    yield;
    for (const { opponent, halfWins, opponentHalfWins } of row.results) {
      if (opponent.group === group) move(row, group, 1, halfWins);
      else if (opponent.group === left) move(opponent, left, -1, -opponentHalfWins);
    }
  }
  return group;
}

/** Moves a team to its place in a group, after the games that it has within the group changed. */
function move(row: Row, group: Group, games: number, halfWins: number): void {
  const equal = row.group.get(winPercentage(row.games, row.halfWins) ?? -1);
  if (equal?.delete(row) === true && equal.size === 0) row.group.delete(winPercentage(row.games, row.halfWins) ?? -1);
  Object.assign(row, { group, games: row.games + games, halfWins: row.halfWins + halfWins });
  const value = winPercentage(row.games, row.halfWins) ?? -1;
  group.set(value, (group.get(value) ?? new Set()).add(row));
}

/** Splits a group into those with equal values, greatest first. */
function* splitByValue(group: readonly Row[], valueOf: (row: Row) => number): Steps<(readonly Row[])[]> {
  const parts = yield* sortInSteps([...Map.groupBy(group, valueOf)], ([a], [b]) => b - a);
  return parts.map(([, rows]) => rows);
}

function compareRows({ standing: a }: Row, { standing: b }: Row): number {
  return compareNames(a.teamName, b.teamName) || compareText(a.teamId, b.teamId);
}
