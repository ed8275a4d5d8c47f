import { createGame, qbRow, type TestGame } from '../support/game.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
/** A game with one row, which no test of this file changes. */
let game: TestGame;

beforeAll(async () => {
  server = await RunningServer.shared();
  game = await createGame(server);
  await game.write([qbRow(game.homePlayer, 4)]);
});

afterAll(() => server.stop());

const awayRow = (category: string, stats: unknown) => ({ playerId: game.awayPlayer._id, category, stats });

describe('a row is rejected and changes nothing if', () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    [
      'completions and interceptions exceed the attempts',
      'qb',
      { passAttempts: 2, completions: 2, interceptionsThrown: 1 },
      'completions',
    ],
    ['passing touchdowns exceed completions', 'qb', { completions: 1, passingTouchdowns: 2 }, 'passingTouchdowns'],
    [
      'receiving touchdowns exceed receptions',
      'offensive',
      { receptions: 0, receivingTouchdowns: 1 },
      'receivingTouchdowns',
    ],
    ['rushing touchdowns exceed the runs', 'offensive', { rushAttempts: 1, rushingTouchdowns: 2 }, 'rushingTouchdowns'],
    [
      'interception touchdowns exceed interceptions',
      'defensive',
      { interceptions: 1, interceptionTouchdowns: 2 },
      'interceptionTouchdowns',
    ],
    [
      'fumble touchdowns exceed recoveries',
      'defensive',
      { fumbleRecoveries: 0, fumbleReturnTouchdowns: 1 },
      'fumbleReturnTouchdowns',
    ],
    [
      'kick return touchdowns exceed the returns',
      'return',
      { kickReturns: 1, kickReturnTouchdowns: 2 },
      'kickReturnTouchdowns',
    ],
    [
      'punt return touchdowns exceed the returns',
      'return',
      { puntReturns: 0, puntReturnTouchdowns: 1 },
      'puntReturnTouchdowns',
    ],
    [
      'one-point pass conversions exceed the tries',
      'qb',
      { onePointPassAttempts: 1, onePointPassConversions: 2 },
      'onePointPassConversions',
    ],
    [
      'two-point pass conversions exceed the tries',
      'qb',
      { twoPointPassAttempts: 0, twoPointPassConversions: 1 },
      'twoPointPassConversions',
    ],
    [
      'three-point pass conversions exceed the tries',
      'qb',
      { threePointPassAttempts: 1, threePointPassConversions: 2 },
      'threePointPassConversions',
    ],
    [
      'one-point conversions exceed the tries',
      'offensive',
      { onePointAttempts: 0, onePointConversions: 1 },
      'onePointConversions',
    ],
    [
      'two-point conversions exceed the tries',
      'offensive',
      { twoPointAttempts: 1, twoPointConversions: 2 },
      'twoPointConversions',
    ],
    [
      'three-point conversions exceed the tries',
      'offensive',
      { threePointAttempts: 0, threePointConversions: 1 },
      'threePointConversions',
    ],
    ['receptions and drops exceed the targets', 'offensive', { targets: 2, receptions: 2, drops: 1 }, 'receptions'],
    ['flag pulls for loss exceed flag pulls', 'defensive', { flagPulls: 1, flagPullsForLoss: 2 }, 'flagPullsForLoss'],
    ['fumbles lost exceed fumbles', 'offensive', { fumbles: 0, fumblesLost: 1 }, 'fumblesLost'],
    [
      'punts inside 20 and touchbacks exceed the punts',
      'punt',
      { punts: 1, puntsInside20: 1, touchbacks: 1 },
      'puntsInside20',
    ],
    ['there are passing yards without a completion', 'qb', { completions: 0, passingYards: 10 }, 'passingYards'],
    ['there is a longest pass without a completion', 'qb', { completions: 0, longestPass: -1 }, 'longestPass'],
    ['there are sack yards without a sack taken', 'qb', { sacksTaken: 0, sackYardsLost: 5 }, 'sackYardsLost'],
    [
      'there are receiving yards without a reception',
      'offensive',
      { receptions: 0, receivingYards: 1 },
      'receivingYards',
    ],
    ['there is a longest run without a run', 'offensive', { rushAttempts: 0, longestRush: 1 }, 'longestRush'],
    ['there are sack yards without a sack', 'defensive', { sacks: 0, sackYards: 1 }, 'sackYards'],
    [
      'there are interception yards without one',
      'defensive',
      { interceptions: 0, interceptionReturnYards: 1 },
      'interceptionReturnYards',
    ],
    [
      'there are fumble yards without a recovery',
      'defensive',
      { fumbleRecoveries: 0, fumbleReturnYards: -1 },
      'fumbleReturnYards',
    ],
    ['there are punt yards without a punt', 'punt', { punts: 0, puntYards: 40 }, 'puntYards'],
    [
      'there are return yards allowed without a punt',
      'punt',
      { punts: 0, returnYardsAllowed: 1 },
      'returnYardsAllowed',
    ],
    [
      'there are kick return yards without a return',
      'return',
      { kickReturns: 0, kickReturnYards: 1 },
      'kickReturnYards',
    ],
    [
      'there is a longest punt return without one',
      'return',
      { puntReturns: 0, longestPuntReturn: 1 },
      'longestPuntReturn',
    ],
    ['a longest play exceeds 110', 'qb', { longestPass: 111 }, 'longestPass'],
    ['sacks are not a multiple of one half', 'defensive', { sacks: 1.25 }, 'sacks'],
    ['another counter is a fraction', 'defensive', { flagPulls: 0.5 }, 'flagPulls'],
    ['a count is negative', 'punt', { punts: -1 }, 'punts'],
    ['sack yards are negative', 'defensive', { sackYards: -1 }, 'sackYards'],
    ['a counter is a string', 'return', { muffs: '1' }, 'muffs'],
    ['a counter is true', 'return', { muffs: true }, 'muffs'],
    ['a counter belongs to another category', 'return', { punts: 1 }, 'punts'],
    ['a counter is unknown', 'qb', { spikes: 1 }, 'spikes'],
  ])('%s', async (_what, category, stats, counter) => {
    await game.expectRowRejected(awayRow(category, stats), `rows[1].stats.${counter}`);
  });
});

describe('a row is accepted with', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      'a part of a total that is not tracked',
      'qb',
      { completions: 5, interceptionsThrown: 2, onePointPassConversions: 1 },
    ],
    ['yards of plays that are not tracked', 'offensive', { receivingYards: 30, longestRush: 12 }],
    ['zero yards for zero plays', 'punt', { punts: 0, puntYards: 0, longestPunt: null }],
    ['negative yards and a negative longest play', 'offensive', { rushAttempts: 1, rushingYards: -4, longestRush: -4 }],
    ['a longest play of 110', 'return', { kickReturns: 1, longestKickReturn: 110 }],
    ['half a sack', 'defensive', { sacks: 0.5, sackYards: 4 }],
    ['parts that add up to their total', 'offensive', { targets: 3, receptions: 2, drops: 1, receivingTouchdowns: 2 }],
  ])('%s', async (_what, category, stats) => {
    const own = await createGame(server);
    const rows = await own.write([{ playerId: own.awayPlayer._id, category, stats }]);
    expect(rows[0]?.stats).toMatchObject(stats);
  });
});
