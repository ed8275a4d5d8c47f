import { runAtOnce } from '../../../test/support/steps.js';
import type { StandingsRules } from '../seasons/standings-rules.schema.js';
import { explainPlace } from './place.rules.js';
import { type DecidedGame, type RankedTeam, rankTeams as rankInSteps } from './standings.rules.js';

const rankTeams = (...given: Parameters<typeof rankInSteps>) => runAtOnce(rankInSteps(...given));

const team = (name: string, fields: Partial<RankedTeam> = {}): RankedTeam => ({
  id: `id of ${name}`,
  name,
  isArchived: false,
  ...fields,
});

/** `A 7:0 B`, or with a forfeit `A - B teamOne`. */
function game(text: string): DecidedGame {
  const [one = '', score = '', two = '', forfeitedBy] = text.split(' ');
  const [teamOneScore, teamTwoScore] = score.split(':').map(Number);
  return {
    teamOneId: `id of ${one}`,
    teamTwoId: `id of ${two}`,
    ...(score !== '-' && { teamOneScore, teamTwoScore }),
    ...(forfeitedBy !== undefined && { forfeitedBy }),
  } as DecidedGame;
}

const rank = (names: string, games: readonly string[], rules?: StandingsRules) =>
  rankTeams(
    Array.from(names, (name) => team(name)),
    games.map(game),
    rules,
  );
const table = (...given: Parameters<typeof rank>) => rank(...given).map((row) => `${row.rank} ${row.teamName}`);

describe('the row of a team', () => {
  it('counts wins, losses, ties and points on both sides', () => {
    const [first] = rank('AB', ['A 21:14 B', 'B 7:7 A', 'B 3:28 A']);
    expect(first).toEqual({
      rank: 1,
      teamId: 'id of A',
      teamName: 'A',
      played: 3,
      wins: 2,
      losses: 0,
      ties: 1,
      forfeits: 0,
      pointsFor: 56,
      pointsAgainst: 24,
      pointDifference: 32,
      winPercentage: 0.833,
      points: 5,
      decidedBy: 'winPercentage',
    });
  });

  it.each([
    [
      'by the owner, without scores',
      'A - B teamOne',
      { wins: 0, losses: 1, forfeits: 1 },
      { wins: 1, losses: 0, forfeits: 0 },
    ],
    [
      'by the opponent, against the score',
      'A 0:9 B teamTwo',
      { wins: 1, pointsAgainst: 9 },
      { losses: 1, forfeits: 1, pointsFor: 9 },
    ],
    ['by both', 'A - B both', { losses: 1, forfeits: 1, pointsFor: 0 }, { losses: 1, forfeits: 1, pointsFor: 0 }],
  ])('counts a forfeit %s', (_name, text, one, two) => {
    const rows = new Map(rank('AB', [text]).map((row) => [row.teamName, row]));
    expect(rows.get('A')).toMatchObject(one);
    expect(rows.get('B')).toMatchObject(two);
  });

  it.each([
    ['A - B teamOne', 'B 28–0', 'A 0–28'],
    ['A - B both', 'A 0–0', 'B 0–0'],
    ['A 6:9 B teamTwo', 'A 6–9', 'B 9–6'],
  ])('counts the forfeit score only without scores: %s', (text, ...expected) => {
    const rows = rank('AB', [text], { forfeitScore: { winner: 28, loser: 0 } });
    expect(rows.map((row) => `${row.teamName} ${row.pointsFor}–${row.pointsAgainst}`)).toEqual(expected);
  });

  it.each([
    [1, 1, 15, 0.1], // 1.5 of 15
    [1, 0, 16, 0.063], // 0.0625: half away from zero
    [2, 0, 3, 0.667],
    [0, 0, 7, 0],
  ])('rounds %i wins and %i ties in %i games', (wins, ties, played, percentage) => {
    const results = [...Array<string>(wins).fill('1:0'), ...Array<string>(ties).fill('1:1')];
    const games = Array.from({ length: played }, (_, index) => `A ${results[index] ?? '0:1'} B`);
    expect(rank('AB', games).find(({ teamName }) => teamName === 'A')?.winPercentage).toBe(percentage);
  });

  it('has the external ID of the team, and none of games against others or itself', () => {
    const rows = rankTeams([team('A', { externalId: 'erp-1' })], [game('A 7:0 Guests'), game('A 7:0 A')]);
    expect(rows).toEqual([expect.objectContaining({ externalId: 'erp-1', played: 0, winPercentage: null })]);
  });
});

// Every criterion: standings.properties.spec.ts, against a slow implementation, and published-tables.spec.ts.
describe('the order of teams', () => {
  it('lists archived teams only if they played, and teams without games last, by all criteria', () => {
    const teams = [team('A'), team('B', { isArchived: true }), team('C', { isArchived: true }), team('D')];
    const rows = rankTeams(teams, [game('A 0:50 C')], { tiebreakers: ['pointsAgainst'] });
    expect(rows.map((row) => `${row.rank} ${row.teamName}`)).toEqual(['1 C', '2 A', '3 D']);
  });

  it('shares ranks 1, 2, 2, 4 and lists equal teams by name, then ID', () => {
    const games = ['A 7:0 B', 'A 7:0 C', 'A 7:0 D', 'B 5:5 C', 'B 5:0 D', 'C 5:0 D'];
    expect(table('DCBA', games)).toEqual(['1 A', '2 B', '2 C', '4 D']);
    const twins = rankTeams([team('X', { id: '2' }), team('X', { id: '1' }), team('W', { id: '3' })], []);
    expect(twins.map((row) => [row.rank, row.teamId])).toEqual([
      [1, '3'],
      [1, '1'],
      [1, '2'],
    ]);
  });
});

describe('the place of a team', () => {
  // Worked by hand. A, B and C have each won two of three games; among them, A and B 1-0 and 1-1, C 0-1.
  const games = ['A 7:0 B', 'B 7:0 C', 'B 7:0 D', 'A 7:0 D', 'D 7:0 A', 'C 7:0 D', 'C 9:0 D'];
  const explain = (name: string, given = games, rules: StandingsRules = {}) =>
    runAtOnce(
      explainPlace(
        Array.from('ABCD', (one) => team(one)),
        given.map(game),
        rules,
        `id of ${name}`,
      ),
    );
  const valuesOf = (place: ReturnType<typeof explain>) =>
    place?.teams.map(({ rank: at, teamName, values }) => [at, teamName, values]);

  it('is explained by the group that was equal before the deciding criterion, with its values', () => {
    expect(explain('A')).toMatchObject({ rank: 1, teamId: 'id of A', decidedBy: 'headToHead' });
    expect(valuesOf(explain('A'))).toEqual([
      [1, 'A', { winPercentage: 0.667, headToHead: 1 }],
      [2, 'B', { winPercentage: 0.667, headToHead: 0.5 }],
      [3, 'C', { winPercentage: 0.667, headToHead: 0 }],
    ]);
    // After C has left the three, the game of A and B decides.
    const circle = ['A 7:0 B', 'A 7:0 C', 'C 7:0 A', 'B 7:0 C', 'B 7:0 C'];
    expect(valuesOf(explain('A', circle, { tiebreakers: ['headToHead'] }))).toEqual([
      [1, 'A', { headToHead: 1 }],
      [2, 'B', { headToHead: 0 }],
    ]);
  });

  it('is explained for the last team, shared ranks and teams without games', () => {
    expect(valuesOf(explain('D'))?.map(([, , values]) => values)).toEqual(
      [0.667, 0.667, 0.667, 0.2].map((winPercentage) => ({ winPercentage })),
    );
    const shared = explain('C', ['A 7:0 B', 'C 0:0 D'], { tiebreakers: ['forfeits', 'wins'] });
    expect(shared).not.toHaveProperty('decidedBy');
    expect(valuesOf(shared)).toEqual([
      [2, 'B', { forfeits: 0, wins: 0 }],
      [2, 'C', { forfeits: 0, wins: 0 }],
      [2, 'D', { forfeits: 0, wins: 0 }],
    ]);
    expect(valuesOf(explain('C', ['A 0:7 B'], { tiebreakers: ['pointsFor'] }))).toEqual([
      [3, 'C', { pointsFor: 0 }],
      [3, 'D', { pointsFor: 0 }],
    ]);
    const unplayed = explain('A', ['A 0:7 B'], { tiebreakers: ['pointsFor'] });
    expect(unplayed).toMatchObject({ rank: 2, decidedBy: 'winPercentage' });
    expect(valuesOf(unplayed)?.map(([, , values]) => values)).toEqual(
      [1, 0, null, null].map((winPercentage) => ({ winPercentage })),
    );
    expect(explain('E')).toBeUndefined();
  });
});
