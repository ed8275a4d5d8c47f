import { runAtOnce } from '../../../test/support/steps.js';
import type { Tiebreaker } from './standing.dto.js';
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

const rank = (names: string, games: readonly string[], criteria?: readonly Tiebreaker[]) =>
  rankTeams(
    Array.from(names, (name) => team(name)),
    games.map(game),
    criteria,
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
    [1, 1, 15, 0.1], // 1.5 of 15
    [1, 0, 16, 0.063], // 0.0625: half away from zero
    [3, 0, 16, 0.188],
    [2, 0, 3, 0.667],
    [1, 0, 3, 0.333],
    [0, 1, 1, 0.5],
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

describe('the order of teams', () => {
  it('lists archived teams only if they played, and teams without games last, by all criteria', () => {
    const teams = [team('A'), team('B', { isArchived: true }), team('C', { isArchived: true }), team('D')];
    const rows = rankTeams(teams, [game('A 0:50 C')], ['pointsAgainst']);
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

  it.each<[Tiebreaker, string[]]>([
    ['pointDifference', ['1 A', '2 C', '3 B']],
    ['pointsAgainst', ['1 C', '2 A', '3 B']],
    ['pointsFor', ['1 B', '2 A', '3 C']],
    ['wins', ['1 A', '1 B', '1 C']],
    ['headToHead', ['1 A', '1 B', '1 C']],
  ])('compares by %s', (criterion, expected) => {
    // A 49:40, B 55:65, C 34:34, each with one win.
    expect(table('CBA', ['A 40:30 B', 'B 25:24 C', 'C 10:9 A'], [criterion])).toEqual(expected);
  });

  it('compares by forfeits', () => {
    expect(table('ABC', ['A - B both', 'C 0:7 A'], ['forfeits'])).toEqual(['1 C', '2 A', '2 B']);
  });

  // Worked by hand. Each of A, B and C has won two and lost two games of the first and the third season.
  describe('three teams with the same win percentage', () => {
    it('are split by their games against each other', () => {
      // Among the three: A 2-0, B 1-1, C 0-2. D has won three of seven games.
      const games = ['A 7:0 B', 'A 7:0 C', 'B 7:0 C', 'D 7:0 A', 'D 7:0 A', 'B 0:7 D', 'B 7:0 D', 'C 7:0 D', 'C 7:0 D'];
      const expected = ['1 E', '2 A', '3 B', '4 C', '5 D'];
      expect(table('ABCDE', [...games, 'E 7:0 D'], ['winPercentage', 'headToHead'])).toEqual(expected);
    });

    it('stay equal after a circle, and the next criterion splits them', () => {
      // Each has beaten one of the others. Points against: A 3, B 10, C 7.
      const games = ['A 10:0 B', 'B 7:0 C', 'C 3:0 A'];
      expect(table('ABC', games, ['winPercentage', 'headToHead'])).toEqual(['1 A', '1 B', '1 C']);
      expect(table('ABC', games)).toEqual(['1 A', '2 C', '3 B']);
    });

    it('are not split head to head if one of them has played none of the others', () => {
      // A has beaten B, C has only played D. Each has won one of two games. Points against: A 9, B 8, C 2.
      const games = ['A 7:0 B', 'D 9:0 A', 'B 7:1 D', 'C 9:0 D', 'D 2:0 C', 'E 7:0 D'];
      const shared = ['1 E', '2 A', '2 B', '2 C', '5 D'];
      expect(table('ABCDE', games, ['winPercentage', 'headToHead'])).toEqual(shared);
      expect(table('ABCDE', games)).toEqual(['1 E', '2 C', '3 B', '4 A', '5 D']);
    });

    it('are compared again within the two that remain equal', () => {
      // Among the three: A 2-1, B 2-1, C 1-3. Between the two: A 1-0.
      const games = ['A 7:0 B', 'A 7:0 C', 'C 7:0 A', 'B 7:0 C', 'B 7:0 C'];
      expect(table('ABC', games, ['headToHead'])).toEqual(['1 A', '2 B', '3 C']);
      // Another game between the two: A 2-2, B 3-1 among the three, so they are not compared again.
      expect(table('ABC', [...games, 'B 7:0 A'], ['headToHead'])).toEqual(['1 B', '2 A', '3 C']);
      // And one more: A 3-2 and B 3-2, between the two A 2-1.
      expect(table('ABC', [...games, 'B 20:0 A', 'A 1:0 B'], ['headToHead'])).toEqual(['1 A', '2 B', '3 C']);
    });
  });
});

describe('5,001 equal teams that leave their group one after another', () => {
  // Each has tied with the hub, lost to the one before and beaten the one after; only the last has beaten the hub.
  const name = (index: number) => `T${String(index).padStart(4, '0')}`;
  const size = 5_000;
  const names = Array.from({ length: size }, (_, index) => name(index));
  const games = names.flatMap((each, index) => [
    game(`${each} ${index === size - 1 ? '1:0' : '0:0'} hub`),
    ...(index === size - 1 ? [] : [game(`${each} 1:0 ${name(index + 1)}`)]),
  ]);

  it('are ranked head to head, the hub last', () => {
    const rows = rankTeams(
      [...names, 'hub'].map((each) => team(each)),
      games,
      ['headToHead'],
    );
    // prettier-ignore
    expect(rows.map((row) => `${row.rank} ${row.teamName}`)).toEqual([...names, 'hub'].map((each, index) => `${index + 1} ${each}`));
  });
});
