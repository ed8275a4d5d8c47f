import type { Steps } from '../../http/turns.js';
import type { StandingsRules, Tiebreaker } from '../seasons/standings-rules.schema.js';
import type { PlaceResponse } from './standing.dto.js';
import { type DecidedGame, type RankedTeam, rankTeams } from './standings.rules.js';

/**
 * Explains the place of a team by the comparisons with one that shares its rank, or else the next one, or else the one
 * before. Returns undefined if the team is not ranked. Ranks twice, because only the table says which team is next, and to
 * keep all comparisons until then would take memory that grows with the square of the teams.
 */
export function* explainPlace(
  teams: readonly RankedTeam[],
  games: readonly DecidedGame[],
  rules: StandingsRules,
  id: string,
): Steps<PlaceResponse | undefined> {
  const rows = yield* rankTeams(teams, games, rules);
  const index = rows.findIndex(({ teamId }) => teamId === id);
  const own = rows[index];
  if (own === undefined) return undefined;
  const { rank, teamId, decidedBy } = own;
  const equal = rows.filter((row) => row.rank === rank);
  const other = equal.find((row) => row !== own) ?? rows[index + 1] ?? rows[index - 1] ?? own;
  const compared = new Map<Tiebreaker, ReadonlyMap<string, number | null>>();
  const both = new Set([id, other.teamId]);
  yield* rankTeams(teams, games, rules, (criterion, group, valueOf) => {
    if (group.filter(({ standing }) => both.has(standing.teamId)).length === both.size)
      compared.set(criterion, new Map(group.map((row) => [row.standing.teamId, valueOf(row)])));
  });
  const isAlone = equal.length === 1;
  // Teams without games come last before any criterion is applied.
  if (compared.size === 0 && isAlone)
    compared.set('winPercentage', new Map(rows.map((row) => [row.teamId, row.winPercentage])));
  const last = [...compared.values()].at(-1);
  const tied = isAlone ? rows.filter((row) => last?.has(row.teamId)) : equal;
  return {
    ...{ rank, teamId, ...(decidedBy && { decidedBy }) },
    teams: tied.map((row) => ({
      ...{ rank: row.rank, teamId: row.teamId, teamName: row.teamName },
      values: Object.fromEntries([...compared].map(([name, values]) => [name, values.get(row.teamId) ?? null])),
    })),
  };
}
