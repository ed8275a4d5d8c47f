import fc from 'fast-check';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

type Stats = Record<string, number | null>;

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);

/** Rates by their counters, and the factor of percentages, written out a second time. */
const rates: [rate: string, part: string, whole: string, factor: number][] = [
  ['completionPercentage', 'completions', 'passAttempts', 100],
  ['yardsPerAttempt', 'passingYards', 'passAttempts', 1],
  ['yardsPerCompletion', 'passingYards', 'completions', 1],
  ['touchdownPercentage', 'passingTouchdowns', 'passAttempts', 100],
  ['interceptionPercentage', 'interceptionsThrown', 'passAttempts', 100],
];

/** What a passer did in a game, in which nobody passed further than 50 yards. */
const game = fc
  .tuple(fc.nat(30), fc.nat(30), fc.nat(30), fc.nat(30), fc.integer({ min: -50, max: 50 }))
  .map(([others, completions, touchdowns, interceptions, yards]): Stats => {
    const caught = Math.min(interceptions, others);
    return {
      passAttempts: others + completions,
      completions,
      passingYards: yards * completions,
      passingTouchdowns: Math.min(touchdowns, completions),
      interceptionsThrown: caught,
    };
  });
/** The same with some counters that nobody tracked. */
const games = fc.array(
  fc.tuple(game, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 })).map(([stats, gaps]) => {
    return Object.fromEntries(Object.entries(stats).map(([name, value], at) => [name, gaps[at] ? null : value]));
  }),
  { minLength: 1, maxLength: 5 },
);

function rateOf(of: readonly Stats[], part: string, whole: string, factor: number): number | null {
  const both = of.filter((stats) => typeof stats[part] === 'number' && typeof stats[whole] === 'number');
  const sum = (name: string) => both.reduce((total, stats) => total + Number(stats[name]), 0);
  return sum(whole) === 0 ? null : (factor * sum(part)) / sum(whole);
}

it('computes the rates of a season from the games that track all of their counters, whatever is missing in others', async () => {
  const season = (await organization.season())._id;
  const [team, opponent] = [await organization.team({ season }), await organization.team({ season })];
  const seasons = fc.sample(games, 40);
  const players = await Promise.all(seasons.map(() => organization.player(team._id)));
  for (let index = 0; index < 5; index++) {
    const played = await organization.schedule(team._id, { teamTwoId: opponent._id, teamTwoName: undefined });
    const rows = seasons.flatMap((of, at) =>
      of[index] ? [{ playerId: players[at]?._id, category: 'qb', stats: of[index] }] : [],
    );
    await server.asSuperAdmin('put', `/schedules/${played._id}/player-statistics`).send({ rows }).expect(200);
  }
  const path = `/seasons/${season}/player-statistics?category=qb&limit=100&sort=completionPercentage`;
  const { data } = (await organization.call('get', path).expect(200)).body as {
    data: { playerId: string; derived: Stats }[];
  };
  const byPlayer = new Map(data.map(({ playerId, derived }) => [playerId, derived]));
  for (const [at, of] of seasons.entries()) {
    const derived = byPlayer.get(players[at]?._id ?? '');
    for (const [rate, part, whole, factor] of rates) {
      const expected = rateOf(of, part, whole, factor);
      if (expected === null) expect([of, rate, derived?.[rate]]).toEqual([of, rate, null]);
      else expect(Math.abs(Number(derived?.[rate]) - expected)).toBeLessThan(0.051);
    }
    for (const name of ['completionPercentage', 'touchdownPercentage', 'interceptionPercentage'])
      expect(derived?.[name] ?? 0).toBeLessThanOrEqual(100);
    expect(derived?.['yardsPerCompletion'] ?? 0).toBeLessThanOrEqual(50);
  }
  const sorted = data.map(({ derived }) => derived['completionPercentage'] ?? -1);
  expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
});
