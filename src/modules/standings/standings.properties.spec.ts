import fc from 'fast-check';
import { runAtOnce } from '../../../test/support/steps.js';
import {
  defaultTiebreakers,
  type StandingsRules,
  type Tiebreaker,
  tiebreakers,
} from '../seasons/standings-rules.schema.js';
import { explainPlace as explainInSteps } from './place.rules.js';
import type { StandingResponse } from './standing.dto.js';
import { type DecidedGame, type RankedTeam, rankTeams as rankInSteps } from './standings.rules.js';

/** A game of teams whose IDs are texts. */
type Game = DecidedGame & { readonly teamOneId: string; readonly teamTwoId: string };

const rankTeams = (...given: Parameters<typeof rankInSteps>) => runAtOnce(rankInSteps(...given));
const explainPlace = (...given: Parameters<typeof explainInSteps>) => runAtOnce(explainInSteps(...given));

const rules: fc.Arbitrary<StandingsRules> = fc.record(
  {
    tiebreakers: fc.array(fc.constantFrom(...tiebreakers), { maxLength: 5 }),
    differenceCap: fc.constant(1),
    winPoints: fc.integer({ min: 0, max: 3 }),
    tiePoints: fc.integer({ min: 0, max: 2 }),
    forfeitScore: fc.constantFrom({ winner: 1, loser: 0 }, { winner: 2, loser: 1 }),
  },
  { requiredKeys: [] },
);

/** Random seasons and rules of up to seven teams with few different results, so that ties are frequent. */
const season = fc.integer({ min: 1, max: 7 }).chain((size) => {
  const side = fc.integer({ min: 0, max: size }).map((index) => `t${index}`); // one of them is a guest
  const score = fc.integer({ min: 0, max: 2 });
  const forfeitedBy = fc.constantFrom(undefined, undefined, undefined, undefined, 'teamOne', 'teamTwo', 'both');
  const played = fc.record({ teamOneId: side, teamTwoId: side, teamOneScore: score, teamTwoScore: score, forfeitedBy });
  const withoutScores = fc.record({
    teamOneId: side,
    teamTwoId: side,
    forfeitedBy: fc.constantFrom('teamOne', 'both'),
  });
  const name = fc.constantFrom('Foxes', 'Hawks', 'Owls');
  const one = fc.record({ name, isArchived: fc.boolean() });
  return fc.record({
    teams: fc
      .array(one, { minLength: size, maxLength: size })
      .map((all) => all.map((fields, index): RankedTeam => ({ id: `t${index}`, ...fields }))),
    games: fc.array(fc.oneof({ weight: 6, arbitrary: played }, withoutScores), { maxLength: 14 }) as fc.Arbitrary<
      Game[]
    >,
    rules,
  });
});

describe('any season', () => {
  const runs = { seed: 20270501, numRuns: 300 };

  it('has the ranks of a slow, obvious implementation, which names what decided them', () => {
    fc.assert(
      fc.property(season, ({ teams, games, rules }) => {
        const rows = rankTeams(teams, games, rules);
        const compared = (one: string, two: string) => compareObviously(rows, games, rules, one, two);
        const isBetter = (one: StandingResponse, two: StandingResponse) => compared(one.teamId, two.teamId).order > 0;
        expect(rows.map(({ rank }) => rank)).toEqual(
          rows.map((row) => 1 + rows.filter((other) => isBetter(other, row)).length),
        );
        const isShared = ({ rank }: StandingResponse) => rows.filter((row) => row.rank === rank).length > 1;
        const expected = rows.map((row, index) => {
          const next = rows[index + 1];
          return next === undefined || isShared(row) ? undefined : compared(row.teamId, next.teamId).decidedBy;
        });
        expect(rows.map(({ decidedBy }) => decidedBy)).toEqual(expected);
      }),
      runs,
    );
  });

  it('explains each place by values that only the deciding criterion tells apart from those of the next team', () => {
    fc.assert(
      fc.property(season, ({ teams, games, rules }) => {
        const rows = rankTeams(teams, games, rules);
        for (const [index, { teamId, rank, decidedBy }] of rows.entries()) {
          const place = explainPlace(teams, games, rules, teamId);
          expect(place).toMatchObject({ teamId, rank });
          expect(place?.decidedBy).toBe(decidedBy);
          if (decidedBy === undefined) continue;
          const valuesOf = (id?: string) =>
            Object.entries(place?.teams.find((team) => team.teamId === id)?.values ?? {});
          const [own, next] = [valuesOf(teamId), valuesOf(rows[index + 1]?.teamId)];
          expect(own.flatMap(([name, value], at) => (value === next[at]?.[1] ? [] : [name]))).toEqual([decidedBy]);
        }
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
        const rows = rankTeams(teams, games, { tiebreakers: ['headToHead'] });
        const played = rows.filter((row) => row.played > 0).map(({ teamId }) => teamId);
        let rank = 1;
        const expected = obviousGroups(played, games).flatMap((group) => {
          const ranked = group.toSorted().map((id) => `${rank} ${id}`);
          rank += group.length;
          return ranked;
        });
        expect(rows.filter((row) => row.played > 0).map((row) => `${row.rank} ${row.teamId}`)).toEqual(expected);
      }),
      { ...runs, numRuns: 60 },
    );
  });
});

/** Compares two teams: keeps those that are still equal to both, and stops at the first criterion that tells them apart. */
function compareObviously(
  rows: readonly StandingResponse[],
  games: readonly Game[],
  rules: StandingsRules,
  one: string,
  two: string,
): { order: number; decidedBy?: Tiebreaker } {
  const all = new Set(rows.map(({ teamId }) => teamId));
  const playedOf = (id: string, among: ReadonlySet<string> = all) => resultsOf(id, games, rules, among).length;
  const hasPlayed = (id: string) => (playedOf(id) > 0 ? 1 : 0);
  if (hasPlayed(one) !== hasPlayed(two)) return { order: hasPlayed(one) - hasPlayed(two), decidedBy: 'winPercentage' };
  let equal = [...all].filter((id) => hasPlayed(id) === hasPlayed(one));
  for (const criterion of rules.tiebreakers ?? defaultTiebreakers) {
    const isHeadToHead = criterion === 'headToHead' || criterion === 'headToHeadOfTwo';
    for (let size = -1; size !== equal.length && (isHeadToHead || size === -1);) {
      size = equal.length;
      const among = isHeadToHead ? new Set(equal) : all;
      if (isHeadToHead && equal.some((id) => playedOf(id, among) === 0)) break;
      if (criterion === 'headToHeadOfTwo' && size !== 2) break;
      const isPerGame =
        /^points?(For|Against|Difference)$/.test(criterion) && new Set(equal.map((id) => playedOf(id))).size > 1;
      // A multiple of every number of games, so that fractions stay integers.
      const factorOf = (id: string) => (isPerGame ? 360_360 / playedOf(id) : 1);
      const values = new Map(equal.map((id) => [id, factorOf(id) * obviousValue(criterion, id, games, rules, among)]));
      const valueOf = (id: string) => values.get(id) ?? NaN;
      if (valueOf(one) !== valueOf(two)) return { order: valueOf(one) - valueOf(two), decidedBy: criterion };
      equal = equal.filter((id) => valueOf(id) === valueOf(one));
    }
  }
  return { order: 0 };
}

/** Splits a group by the games within it, and each smaller group again. */
function obviousGroups(group: readonly string[], games: readonly Game[]): (readonly string[])[] {
  const among = new Set(group);
  const results = new Map(group.map((id) => [id, resultsOf(id, games, {}, among)]));
  if (group.some((id) => results.get(id)?.length === 0)) return [group];
  const parts = Map.groupBy(group, (id) => obviousValue('headToHead', id, games, {}, among));
  if (parts.size === 1) return [group];
  return [...parts].sort(([a], [b]) => b - a).flatMap(([, part]) => obviousGroups(part, games));
}

/** The games of a team among others: W, L, T or F for a forfeit, with the points. */
function resultsOf(id: string, games: readonly Game[], { forfeitScore }: StandingsRules, among: ReadonlySet<string>) {
  const results: { result: string; own: number; others: number; opponent: string }[] = [];
  for (const { teamOneId, teamTwoId, forfeitedBy, ...scores } of games) {
    if (teamOneId === teamTwoId || !among.has(teamOneId) || !among.has(teamTwoId)) continue;
    if (teamOneId !== id && teamTwoId !== id) continue;
    const [own, other] = teamOneId === id ? (['teamOne', 'teamTwo'] as const) : (['teamTwo', 'teamOne'] as const);
    const pointsOf = (side: typeof own) => {
      const isLoser = forfeitedBy === side || forfeitedBy === 'both';
      return scores[`${side}Score`] ?? forfeitScore?.[isLoser ? 'loser' : 'winner'] ?? 0;
    };
    const [ownPoints, others] = [pointsOf(own), pointsOf(other)];
    const byScore = ownPoints > others ? 'W' : ownPoints < others ? 'L' : 'T';
    const result = forfeitedBy === undefined ? byScore : forfeitedBy === other ? 'W' : 'F';
    results.push({ result, own: ownPoints, others, opponent: teamOneId === id ? teamTwoId : teamOneId });
  }
  return results;
}

/** The value of a team, greater for the better one; percentages in thousandths. */
function obviousValue(
  criterion: Tiebreaker,
  id: string,
  games: readonly Game[],
  rules: StandingsRules,
  among: ReadonlySet<string>,
): number {
  const results = resultsOf(id, games, rules, among);
  const { differenceCap: cap = 1_000, winPoints = 2, tiePoints = 1 } = rules;
  const count = (...letters: string[]) => results.filter(({ result }) => letters.includes(result)).length;
  const sum = (valueOf: (result: (typeof results)[number]) => number) =>
    results.map(valueOf).reduce((a, b) => a + b, 0);
  if (criterion === 'wins') return count('W');
  if (criterion === 'forfeits') return 0 - count('F');
  if (criterion === 'points') return winPoints * count('W') + tiePoints * count('T');
  if (criterion === 'pointsFor') return sum(({ own }) => own);
  if (criterion === 'pointsAgainst') return 0 - sum(({ others }) => others);
  if (criterion === 'pointDifference') return sum(({ own, others }) => Math.max(-cap, Math.min(cap, own - others)));
  if (criterion === 'strengthOfSchedule') {
    const opponents = results.map(({ opponent }) => resultsOf(opponent, games, rules, among));
    return toThousandths(opponents.map(percentageOf).reduce(plus, [0n, 1n]), results.length);
  }
  return toThousandths(percentageOf(results), 1);
}

type Fraction = readonly [numerator: bigint, denominator: bigint];
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];

function percentageOf(results: ReturnType<typeof resultsOf>): Fraction {
  const halfWins = results.map(({ result }): number => ({ W: 2, T: 1 })[result] ?? 0);
  return [BigInt(halfWins.reduce((a, b) => a + b, 0)), BigInt(2 * results.length || 1)];
}

/** Half up. */
function toThousandths([numerator, denominator]: Fraction, games: number): number {
  const whole = denominator * BigInt(games || 1);
  return Number((2_000n * numerator + whole) / (2n * whole));
}
