import { checkRows } from '../../statistics/rules/check-rows.js';
import { statisticsCategories, statisticsTable } from '../../statistics/rules/counters.js';
import { fieldLength } from './field.js';
import { type Lineup, lineupOf } from './lineup.js';
import { drivesOfGame, simulateGame, type SimulatedGame } from './simulate-game.js';

const positions = [
  ['QB', 'S'],
  ['C'],
  ['WR', 'RETURNER'],
  ['WR', 'CB'],
  ['RB'],
  ['RUSHER'],
  ['LB', 'P'],
  ['CB'],
  ['S'],
];

function aLineup(team: number): Lineup {
  const roster = positions.map((position, index) => ({ id: `${team}${index}`.padStart(24, '0'), position }));
  const lineup = lineupOf(roster);
  if (lineup === undefined) throw new Error('The roster is too small');
  return lineup;
}

const lineups = [aLineup(1), aLineup(2)] as const;
const teamOf = (playerId: string): number => Number(playerId.slice(-2, -1));

/** One side of a game: totals of counters, named alone or with their category, and the longest of a team's plays. */
function sideOf(game: SimulatedGame, team: number) {
  const rows = game.rows.filter(({ playerId }) => teamOf(playerId) === team);
  const total = (name: string) => {
    const [counter = '', category] = name.split('.').reverse();
    return rows
      .filter((row) => category === undefined || row.category === category)
      .reduce((sum, { stats }) => sum + (stats[counter] ?? 0), 0);
  };
  return {
    sum: (...names: string[]) => names.reduce((sum, name) => sum + total(name), 0),
    // Who made no such play has a zero that is no play of zero yards.
    longest: (counter: string, plays: string) =>
      Math.max(...rows.filter(({ stats }) => (stats[plays] ?? 0) > 0).map(({ stats }) => stats[counter] ?? 0)),
    categories: [...new Set(rows.map(({ category }) => category))],
  };
}

describe('a simulated game', () => {
  const games = Array.from({ length: 250 }, (_, seed) => simulateGame({ seed, lineups, drives: drivesOfGame }));
  const sides = games.flatMap((game) => [
    { game, team: 0, own: sideOf(game, 1), other: sideOf(game, 2) },
    { game, team: 1, own: sideOf(game, 2), other: sideOf(game, 1) },
  ]);

  it('is the same for the same seed, and another for another one', () => {
    expect(simulateGame({ seed: 7, lineups, drives: drivesOfGame })).toEqual(games[7]);
    expect(games[8]).not.toEqual(games[7]);
  });

  it("passes the server's own rules, with every counter tracked", () => {
    for (const { rows } of games) {
      expect(checkRows(rows)).toMatchObject({ accepted: true });
      for (const { category, stats } of rows) {
        expect(Object.keys(stats)).toEqual(Object.keys(statisticsTable[category].counters));
      }
    }
  });

  it('has rows of all five categories for both sides, also while it is still on', () => {
    const begun = games.map((_, seed) => simulateGame({ seed, lineups, drives: 8 }));
    for (const game of [...games, ...begun]) {
      for (const team of [1, 2]) expect(sideOf(game, team).categories.sort()).toEqual([...statisticsCategories].sort());
    }
  });

  it('balances passing with receiving', () => {
    for (const { own } of sides) {
      expect(own.sum('completions')).toBe(own.sum('receptions'));
      expect(own.sum('passingYards')).toBe(own.sum('receivingYards'));
      expect(own.sum('passingTouchdowns')).toBe(own.sum('receivingTouchdowns'));
      expect(own.longest('longestPass', 'completions')).toBe(own.longest('longestReception', 'receptions'));
      expect(own.sum('passAttempts')).toBeGreaterThanOrEqual(own.sum('targets'));
      expect(own.sum('firstDowns')).toBeGreaterThanOrEqual(own.sum('passingFirstDowns'));
    }
  });

  it('balances what one side does with what the other allows', () => {
    for (const { own, other } of sides) {
      expect(own.sum('interceptionsThrown')).toBe(other.sum('interceptions'));
      expect(own.sum('sacksTaken')).toBe(other.sum('sacks'));
      expect(own.sum('sackYardsLost')).toBe(other.sum('sackYards'));
      expect(own.sum('safetiesTaken')).toBe(other.sum('safeties'));
      expect(own.sum('fumblesLost')).toBe(other.sum('fumbleRecoveries'));
      expect(own.sum('fumbles')).toBeGreaterThanOrEqual(other.sum('forcedFumbles'));
      expect(other.sum('flagPulls')).toBeLessThanOrEqual(own.sum('receptions', 'rushAttempts'));
      const notCaught = own.sum('passAttempts') - own.sum('completions') - own.sum('interceptionsThrown');
      expect(own.sum('drops') + other.sum('passBreakups')).toBeLessThanOrEqual(notCaught);
    }
  });

  it('balances punts with their returns', () => {
    for (const { own, other } of sides) {
      expect(own.sum('returnYardsAllowed')).toBe(other.sum('puntReturnYards'));
      expect(own.sum('punt.fairCatches')).toBe(other.sum('return.fairCatches'));
      const ends = own.sum('touchbacks') + other.sum('puntReturns', 'return.fairCatches', 'muffs');
      expect(own.sum('punts')).toBeGreaterThanOrEqual(ends);
    }
  });

  it('scores what its counters say', () => {
    for (const { game, team, own } of sides) {
      const touchdowns = own.sum(
        'receivingTouchdowns',
        'rushingTouchdowns',
        'interceptionTouchdowns',
        'fumbleReturnTouchdowns',
        'kickReturnTouchdowns',
        'puntReturnTouchdowns',
      );
      const conversions =
        own.sum('onePointConversions') + 2 * own.sum('twoPointConversions') + 3 * own.sum('threePointConversions');
      expect(own.sum('onePointAttempts', 'twoPointAttempts', 'threePointAttempts')).toBe(touchdowns);
      expect(game.score[team]).toBe(
        6 * touchdowns + conversions + 2 * own.sum('safeties') + own.sum('tryReturnPoints'),
      );
    }
  });

  it('keeps every longest within the field and the yards that its plays can make', () => {
    for (const { stats } of games.flatMap(({ rows }) => rows)) {
      for (const [longest, yards, plays] of [
        ['longestPass', 'passingYards', 'completions'],
        ['longestReception', 'receivingYards', 'receptions'],
        ['longestRush', 'rushingYards', 'rushAttempts'],
        ['longestPunt', 'puntYards', 'punts'],
        ['longestKickReturn', 'kickReturnYards', 'kickReturns'],
        ['longestPuntReturn', 'puntReturnYards', 'puntReturns'],
        ['longestInterceptionReturn', 'interceptionReturnYards', 'interceptions'],
      ] as const) {
        if (!(longest in stats)) continue;
        const [most = 0, total = 0, count = 0] = [stats[longest], stats[yards], stats[plays]];
        expect(most).toBeLessThanOrEqual(fieldLength);
        // No average is above its greatest part; one play is its own longest.
        expect(total).toBeLessThanOrEqual(most * count);
        if (count === 1) expect(total).toBe(most);
      }
    }
  });

  it('looks like a game people know', () => {
    const average = (...counters: string[]) =>
      sides.reduce((total, { own }) => total + own.sum(...counters), 0) / sides.length;
    const points = games.reduce((total, { score }) => total + score[0] + score[1], 0) / sides.length;
    expect(points).toBeGreaterThan(10);
    expect(points).toBeLessThan(40);
    expect(average('passAttempts')).toBeGreaterThan(15);
    expect(average('passAttempts')).toBeLessThan(45);
    expect(average('completions') / average('passAttempts')).toBeGreaterThan(0.5);
    expect(average('punts')).toBeGreaterThan(0.5);
    // Rare events happen somewhere: the balances above are not of zeros.
    for (const rare of ['fumblesLost', 'safeties', 'puntReturns', 'tryReturns', 'interceptionTouchdowns', 'muffs']) {
      expect({ rare, happens: average(rare) > 0 }).toEqual({ rare, happens: true });
    }
  });
});

describe('a lineup', () => {
  it('lets others stand in where nobody plays a position', () => {
    const roster = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, position: [] }));
    expect(lineupOf(roster)).toMatchObject({
      quarterback: 'a',
      returner: 'b',
      punter: 'a',
      receivers: ['b', 'c', 'd', 'e'],
    });
  });

  it('is none of too few players', () => {
    expect(lineupOf([{ id: 'a', position: ['QB'] }])).toBeUndefined();
  });
});
