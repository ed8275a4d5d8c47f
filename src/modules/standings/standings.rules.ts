import type { RecordId } from '../../database/record.js';
import { sortInSteps, type Steps } from '../../http/turns.js';
import { compareNames, compareText } from '../../validation/text.js';
import type { Schedule } from '../schedules/schedule.schema.js';
import { defaultTiebreakers, type StandingResponse, type Tiebreaker } from './standing.dto.js';

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

/**
 * Ranks the teams of a season by their games against each other; other games do not count. Each criterion splits groups of
 * equal teams. Teams that are equal in everything share a rank and are listed by name, then ID. Teams without games come last.
 */
export function* rankTeams(
  teams: readonly RankedTeam[],
  games: readonly DecidedGame[],
  criteria: readonly Tiebreaker[] = defaultTiebreakers,
): Steps<StandingResponse[]> {
  const archived = new Set(teams.filter(({ isArchived }) => isArchived).map(({ id }) => id));
  const rows = (yield* countGames(teams, games)).filter(
    ({ standing: { teamId, played } }) => played > 0 || !archived.has(teamId),
  );
  let groups = yield* splitByValue(rows, ({ standing }) => Math.sign(standing.played));
  for (const criterion of criteria) {
    const split: (readonly Row[])[][] = [];
    for (const group of groups) split.push(yield* splitBy(group, criterion));
    groups = split.flat();
  }
  const ranked: StandingResponse[] = [];
  for (const group of groups) {
    const rank = ranked.length + 1;
    for (const { standing } of yield* sortInSteps(group, compareRows)) ranked.push({ rank, ...standing });
  }
  return ranked;
}

function* countGames(teams: readonly RankedTeam[], games: readonly DecidedGame[]): Steps<Row[]> {
  const rows = new Map(teams.map((team) => [team.id, createRow(team)]));
  for (const { teamOneId, teamTwoId, teamOneScore = 0, teamTwoScore = 0, forfeitedBy } of games) {
    yield;
    const one = rows.get(String(teamOneId));
    const two = rows.get(String(teamTwoId));
    if (one === undefined || two === undefined || one === two) continue;
    const oneForfeits = forfeitedBy === 'teamOne' || forfeitedBy === 'both';
    const twoForfeits = forfeitedBy === 'teamTwo' || forfeitedBy === 'both';
    const ones = oneForfeits ? 0 : twoForfeits ? 2 : 1 + Math.sign(teamOneScore - teamTwoScore);
    const twos = twoForfeits ? 0 : oneForfeits ? 2 : 1 + Math.sign(teamTwoScore - teamOneScore);
    one.results.push({ opponent: two, halfWins: ones, opponentHalfWins: twos });
    two.results.push({ opponent: one, halfWins: twos, opponentHalfWins: ones });
    addGame(one.standing, ones, oneForfeits, teamOneScore, teamTwoScore);
    addGame(two.standing, twos, twoForfeits, teamTwoScore, teamOneScore);
  }
  return [...rows.values()];
}

function createRow({ id, name, externalId }: RankedTeam): Row {
  const standing = {
    ...{ teamId: id, teamName: name, ...(externalId !== undefined && { externalId }) },
    ...{ played: 0, wins: 0, losses: 0, ties: 0, forfeits: 0 },
    ...{ pointsFor: 0, pointsAgainst: 0, pointDifference: 0, winPercentage: null },
  };
  return { standing, results: [], group: new Map(), games: 0, halfWins: 0 };
}

function addGame(standing: Row['standing'], halfWins: number, isForfeit: boolean, own: number, others: number): void {
  standing.played++;
  standing[halfWins === 2 ? 'wins' : halfWins === 1 ? 'ties' : 'losses']++;
  if (isForfeit) standing.forfeits++;
  standing.pointsFor += own;
  standing.pointsAgainst += others;
  standing.pointDifference += own - others;
  standing.winPercentage = winPercentage(standing.played, 2 * standing.wins + standing.ties);
}

/** Returns (wins + ties / 2) / games, rounded from integers to three decimals, half away from zero; null without games. */
function winPercentage(games: number, halfWins: number): number | null {
  return games === 0 ? null : Math.floor((1_000 * halfWins + games) / (2 * games)) / 1_000;
}

/** The value of each criterion, greatest first. Percentages are compared as they are shown. */
const values: Readonly<Record<Exclude<Tiebreaker, 'headToHead'>, (standing: Row['standing']) => number>> = {
  winPercentage: (standing) => standing.winPercentage ?? -1,
  pointDifference: (standing) => standing.pointDifference,
  pointsAgainst: (standing) => -standing.pointsAgainst,
  pointsFor: (standing) => standing.pointsFor,
  forfeits: (standing) => -standing.forfeits,
  wins: (standing) => standing.wins,
};

function* splitBy(group: readonly Row[], criterion: Tiebreaker): Steps<(readonly Row[])[]> {
  yield;
  if (group.length === 1) return [group];
  if (criterion === 'headToHead') return yield* splitByHeadToHead(group);
  return yield* splitByValue(group, ({ standing }) => values[criterion](standing));
}

/**
 * Splits a group by the win percentage in the games within it, and each smaller group of equal teams again. Does not
 * apply if one of the teams played none of the others. The largest part stays and only loses the games against the others, so
 * that a team leaves few times, even if thousands of splits follow each other.
 */
function* splitByHeadToHead(rows: readonly Row[]): Steps<Row[][]> {
  const split: Row[][] = [];
  const open = [yield* separate(rows, new Map())];
  for (let group = open.pop(); group !== undefined; group = open.pop()) {
    const parts = [...group].sort(([a], [b]) => a - b).map(([, part]) => part);
    if (parts.length === 1 || group.has(-1)) {
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
