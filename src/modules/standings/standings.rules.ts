import { compareText } from '../../validation/text.js';
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
  readonly teamOneId: string;
  readonly teamTwoId: string;
}

/** A game from the side of one team. */
interface Played {
  readonly opponentId: string;
  /** 2 for a win, 1 for a tie. */
  readonly halfWins: 0 | 1 | 2;
  readonly isForfeit: boolean;
  readonly pointsFor: number;
  readonly pointsAgainst: number;
}

interface Row {
  readonly standing: Omit<StandingResponse, 'rank'>;
  readonly games: readonly Played[];
}

/**
 * Ranks the teams of a season by their games against each other; other games do not count. Each criterion splits groups of
 * equal teams. Teams that are equal in everything share a rank and are listed by name, then ID. Teams without games come last.
 */
export function rankTeams(
  teams: readonly RankedTeam[],
  games: readonly DecidedGame[],
  criteria: readonly Tiebreaker[] = defaultTiebreakers,
): StandingResponse[] {
  const gamesOf = groupByTeam(teams, games);
  const rows = teams.flatMap((team) => {
    const played = gamesOf.get(team.id) ?? [];
    return team.isArchived && played.length === 0 ? [] : [toRow(team, played)];
  });
  const groups = criteria.reduce<(readonly Row[])[]>(
    (split, criterion) => split.flatMap((group) => splitBy(group, criterion)),
    splitByValue(rows, ({ games: played }) => Math.sign(played.length)),
  );
  let rank = 1;
  return groups.flatMap((group) => {
    const ranked = group.map(({ standing }) => ({ rank, ...standing })).sort(compareNames);
    rank += group.length;
    return ranked;
  });
}

function groupByTeam(teams: readonly RankedTeam[], games: readonly DecidedGame[]): Map<string, Played[]> {
  const gamesOf = new Map(teams.map(({ id }) => [id, [] as Played[]]));
  for (const { teamOneId, teamTwoId, teamOneScore = 0, teamTwoScore = 0, forfeitedBy } of games) {
    const one = gamesOf.get(teamOneId);
    const two = gamesOf.get(teamTwoId);
    if (one === undefined || two === undefined || one === two) continue;
    const play = (own: 'teamOne' | 'teamTwo', opponentId: string, pointsFor: number, pointsAgainst: number): Played => {
      const isForfeit = forfeitedBy === own || forfeitedBy === 'both';
      const difference = forfeitedBy === undefined ? Math.sign(pointsFor - pointsAgainst) : isForfeit ? -1 : 1;
      return { opponentId, halfWins: (difference + 1) as Played['halfWins'], isForfeit, pointsFor, pointsAgainst };
    };
    one.push(play('teamOne', teamTwoId, teamOneScore, teamTwoScore));
    two.push(play('teamTwo', teamOneId, teamTwoScore, teamOneScore));
  }
  return gamesOf;
}

function toRow({ id, name, externalId }: RankedTeam, games: readonly Played[]): Row {
  const count = (isCounted: (game: Played) => boolean) => games.filter(isCounted).length;
  const sum = (side: 'pointsFor' | 'pointsAgainst') => games.reduce((total, game) => total + game[side], 0);
  const pointsFor = sum('pointsFor');
  const pointsAgainst = sum('pointsAgainst');
  const standing = {
    teamId: id,
    teamName: name,
    ...(externalId !== undefined && { externalId }),
    played: games.length,
    wins: count(({ halfWins }) => halfWins === 2),
    losses: count(({ halfWins }) => halfWins === 0),
    ties: count(({ halfWins }) => halfWins === 1),
    forfeits: count(({ isForfeit }) => isForfeit),
    pointsFor,
    pointsAgainst,
    pointDifference: pointsFor - pointsAgainst,
    winPercentage: winPercentage(games),
  };
  return { standing, games };
}

/** Returns (wins + ties / 2) / games, rounded from integers to three decimals, half away from zero; null without games. */
function winPercentage(games: readonly Played[]): number | null {
  if (games.length === 0) return null;
  const halfWins = games.reduce((total, game) => total + game.halfWins, 0);
  return Math.floor((1_000 * halfWins + games.length) / (2 * games.length)) / 1_000;
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

function splitBy(group: readonly Row[], criterion: Tiebreaker): (readonly Row[])[] {
  if (criterion === 'headToHead') return splitByHeadToHead(group);
  return splitByValue(group, ({ standing }) => values[criterion](standing));
}

/**
 * Splits a group by the win percentage in the games within it, and each smaller group of equal teams again. Does not
 * apply if one of the teams played none of the others.
 */
function splitByHeadToHead(group: readonly Row[]): (readonly Row[])[] {
  const ids = new Set(group.map(({ standing }) => standing.teamId));
  const among = new Map(
    group.map((row) => [row, winPercentage(row.games.filter(({ opponentId }) => ids.has(opponentId)))]),
  );
  if ([...among.values()].includes(null)) return [group];
  const parts = splitByValue(group, (row) => among.get(row) ?? 0);
  return parts.length === 1 ? parts : parts.flatMap(splitByHeadToHead);
}

/** Splits a group into those with equal values, greatest first. */
function splitByValue(group: readonly Row[], valueOf: (row: Row) => number): Row[][] {
  return [...Map.groupBy(group, valueOf)].sort(([a], [b]) => b - a).map(([, rows]) => rows);
}

function compareNames(a: StandingResponse, b: StandingResponse): number {
  return compareText(a.teamName, b.teamName) || compareText(a.teamId, b.teamId);
}
