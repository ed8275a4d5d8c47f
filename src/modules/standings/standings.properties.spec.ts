import fc from 'fast-check';
import { runAtOnce } from '../../../test/support/steps.js';
import { defaultTiebreakers, type StandingResponse, type Tiebreaker, tiebreakers } from './standing.dto.js';
import { type DecidedGame, type RankedTeam, rankTeams as rankInSteps } from './standings.rules.js';

/** A game of teams whose IDs are texts. */
type Game = DecidedGame & { readonly teamOneId: string; readonly teamTwoId: string };

const rankTeams = (...given: Parameters<typeof rankInSteps>) => runAtOnce(rankInSteps(...given));

/** Random seasons of up to seven teams with few different results, so that ties are frequent. */
const season = fc.integer({ min: 1, max: 7 }).chain((size) => {
  const side = fc.integer({ min: 0, max: size }).map((index) => `t${index}`); // one of them is a guest
  const score = fc.integer({ min: 0, max: 2 });
  const forfeitedBy = fc.constantFrom(undefined, undefined, undefined, undefined, 'teamOne', 'teamTwo', 'both');
  const played = fc.record({ teamOneId: side, teamTwoId: side, teamOneScore: score, teamTwoScore: score, forfeitedBy });
  const name = fc.constantFrom('Foxes', 'Hawks', 'Owls');
  const one = fc.record({ name, isArchived: fc.boolean() });
  return fc.record({
    teams: fc
      .array(one, { minLength: size, maxLength: size })
      .map((all) => all.map((fields, index): RankedTeam => ({ id: `t${index}`, ...fields }))),
    games: fc.array(played, { maxLength: 14 }) as fc.Arbitrary<Game[]>,
    criteria: fc.oneof(fc.constant(defaultTiebreakers), fc.array(fc.constantFrom(...tiebreakers), { maxLength: 4 })),
  });
});

describe('any season', () => {
  const runs = { seed: 20270501, numRuns: 2_000 };

  it('has the ranks of a slow, obvious implementation', () => {
    fc.assert(
      fc.property(season, ({ teams, games, criteria }) => {
        const rows = rankTeams(teams, games, criteria);
        const expected = rows.map(({ teamId }) => 1 + rows.filter((other) => isBetter(other.teamId, teamId)).length);
        function isBetter(one: string, two: string): boolean {
          return obviouslyBetter(rows, games, criteria, one, two);
        }
        expect(rows.map((row) => row.rank)).toEqual(expected);
      }),
      { ...runs, numRuns: 200 },
    );
  });

  it('is split head to head as if the games within each group were counted again', () => {
    const oneOf = (size: number) => fc.integer({ min: 0, max: size - 1 }).map((index) => `t${index}`);
    const score = fc.constantFrom(0, 1);
    const large = fc.integer({ min: 8, max: 40 }).chain((size) =>
      fc.record({
        teams: fc.constant(Array.from({ length: size }, (_, i) => ({ id: `t${i}`, name: 'Owls', isArchived: false }))),
        games: fc.array(
          fc.record({ teamOneId: oneOf(size), teamTwoId: oneOf(size), teamOneScore: score, teamTwoScore: score }),
          { minLength: 2 * size, maxLength: 4 * size },
        ),
      }),
    );
    fc.assert(
      fc.property(large, ({ teams, games }) => {
        const rows = rankTeams(teams, games, ['headToHead']);
        const played = rows.filter((row) => row.played > 0).map(({ teamId }) => teamId);
        let rank = 1;
        const expected = obviousGroups(played, games).flatMap((group) => {
          const ranked = group.toSorted().map((id) => `${rank} ${id}`);
          rank += group.length;
          return ranked;
        });
        expect(rows.filter((row) => row.played > 0).map((row) => `${row.rank} ${row.teamId}`)).toEqual(expected);
      }),
      { ...runs, numRuns: 200 },
    );
  });

  it('does not depend on the order of games and teams', () => {
    const shuffled = season.chain((one) =>
      fc.tuple(
        fc.constant(one),
        fc.shuffledSubarray(one.games, { minLength: one.games.length }),
        fc.shuffledSubarray(one.teams, { minLength: one.teams.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([{ teams, games, criteria }, otherGames, otherTeams]) => {
        expect(rankTeams(otherTeams, otherGames, criteria)).toEqual(rankTeams(teams, games, criteria));
      }),
      runs,
    );
  });

  it('only permutes its rows if the teams swap their names', () => {
    fc.assert(
      fc.property(season, fc.integer({ min: 1, max: 6 }), ({ teams, games, criteria }, shift) => {
        const renamed = teams.map((one, index) => ({
          ...one,
          name: teams[(index + shift) % teams.length]?.name ?? '',
        }));
        const withoutNames = (rows: StandingResponse[]) =>
          rows.map(({ teamName, ...row }) => row).sort((a, b) => (a.teamId < b.teamId ? -1 : 1));
        expect(withoutNames(rankTeams(renamed, games, criteria))).toEqual(
          withoutNames(rankTeams(teams, games, criteria)),
        );
      }),
      runs,
    );
  });
});

/** Compares two teams: keeps those that are still equal to both, and stops at the first criterion that tells them apart. */
function obviouslyBetter(
  rows: readonly StandingResponse[],
  games: readonly Game[],
  criteria: readonly Tiebreaker[],
  one: string,
  two: string,
): boolean {
  let equal = rows.map(({ teamId }) => teamId);
  const narrow = (valueOf: (id: string) => number): boolean | undefined => {
    if (valueOf(one) !== valueOf(two)) return valueOf(one) > valueOf(two);
    equal = equal.filter((id) => valueOf(id) === valueOf(one));
    return undefined;
  };
  const all = new Set(equal);
  const hasPlayed = (id: string) => (resultsOf(id, games, all).length > 0 ? 1 : 0);
  const decided = narrow(hasPlayed);
  if (decided !== undefined) return decided;
  for (const criterion of criteria) {
    for (let size = -1; size !== equal.length;) {
      size = equal.length;
      const among = new Set(criterion === 'headToHead' ? equal : all);
      if (criterion === 'headToHead' && equal.some((id) => resultsOf(id, games, among).length === 0)) break;
      const values = new Map(equal.map((id) => [id, obviousValue(criterion, resultsOf(id, games, among))]));
      const better = narrow((id) => values.get(id) ?? NaN);
      if (better !== undefined) return better;
      if (criterion !== 'headToHead') break;
    }
  }
  return false;
}

/** Splits a group by the games within it, and each smaller group again. */
function obviousGroups(group: readonly string[], games: readonly Game[]): (readonly string[])[] {
  const among = new Set(group);
  const results = new Map(group.map((id) => [id, resultsOf(id, games, among)]));
  if (group.some((id) => results.get(id)?.length === 0)) return [group];
  const parts = Map.groupBy(group, (id) => obviousValue('headToHead', results.get(id) ?? []));
  if (parts.size === 1) return [group];
  return [...parts].sort(([a], [b]) => b - a).flatMap(([, part]) => obviousGroups(part, games));
}

/** The games of a team among others: W, L, T or F for a forfeit, with the points. */
function resultsOf(id: string, games: readonly Game[], among: ReadonlySet<string>) {
  const results: { result: string; own: number; others: number }[] = [];
  for (const { teamOneId, teamTwoId, teamOneScore = 0, teamTwoScore = 0, forfeitedBy } of games) {
    if (teamOneId === teamTwoId || !among.has(teamOneId) || !among.has(teamTwoId)) continue;
    if (teamOneId !== id && teamTwoId !== id) continue;
    const [own, others] = teamOneId === id ? [teamOneScore, teamTwoScore] : [teamTwoScore, teamOneScore];
    const byScore = own > others ? 'W' : own < others ? 'L' : 'T';
    const isOwn = forfeitedBy === 'both' || forfeitedBy === (teamOneId === id ? 'teamOne' : 'teamTwo');
    results.push({ result: forfeitedBy === undefined ? byScore : isOwn ? 'F' : 'W', own, others });
  }
  return results;
}

function obviousValue(criterion: Tiebreaker, results: ReturnType<typeof resultsOf>): number {
  const count = (...letters: string[]) => results.filter(({ result }) => letters.includes(result)).length;
  const own = results.reduce((sum, result) => sum + result.own, 0);
  const others = results.reduce((sum, result) => sum + result.others, 0);
  if (criterion === 'wins') return count('W');
  if (criterion === 'forfeits') return 0 - count('F');
  if (criterion === 'pointsFor') return own;
  if (criterion === 'pointsAgainst') return 0 - others;
  if (criterion === 'pointDifference') return own - others;
  const twice = (2_000n * BigInt(2 * count('W') + count('T'))) / BigInt(2 * results.length || 1);
  return Number((twice + 1n) / 2n);
}
