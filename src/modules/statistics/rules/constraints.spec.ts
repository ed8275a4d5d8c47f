import { problemsOf as problemsOfRows, row } from '../../../../test/support/statistics-rows.js';
import { type StatisticsCategory, statisticsTable } from './statistics-table.js';

type Stats = Record<string, unknown>;

const problemsOf = (category: StatisticsCategory, stats: Stats) => problemsOfRows([row(stats, { category })]);

/**
 * Which sums have which limit (parts, limit), written out a second time: the table must not decide what it is checked
 * against.
 */
const limits: [StatisticsCategory, string, string][] = [
  ['qb', 'completions interceptionsThrown', 'passAttempts'],
  ['qb', 'passingTouchdowns', 'completions'],
  ['qb', 'onePointPassConversions', 'onePointPassAttempts'],
  ['qb', 'twoPointPassConversions', 'twoPointPassAttempts'],
  ['qb', 'threePointPassConversions', 'threePointPassAttempts'],
  ['offensive', 'receptions drops', 'targets'],
  ['offensive', 'onePointConversions', 'onePointAttempts'],
  ['offensive', 'twoPointConversions', 'twoPointAttempts'],
  ['offensive', 'threePointConversions', 'threePointAttempts'],
  ['offensive', 'fumblesLost', 'fumbles'],
  ['defensive', 'flagPullsForLoss', 'flagPulls'],
  ['defensive', 'fumbleReturnTouchdowns', 'fumbleRecoveries'],
  ['punt', 'puntsInside20 touchbacks', 'punts'],
];

describe('sumConstraints', () => {
  it('are exactly those of the specification', () => {
    const declared = Object.entries(statisticsTable).flatMap(([category, { sumConstraints }]) =>
      sumConstraints.map(({ parts, limit }) => [category, parts.join(' '), limit]),
    );
    expect(declared).toEqual(limits);
  });

  it.each([
    ['may reach their limit', { completions: 2, interceptionsThrown: 1, passAttempts: 3 }, 0],
    ['may not exceed it together', { completions: 2, interceptionsThrown: 2, passAttempts: 3 }, 1],
    ['may not exceed it alone', { completions: 4, passAttempts: 3 }, 1],
    ['may not exceed 0', { interceptionsThrown: 1, passAttempts: 0 }, 1],
    ['are unlimited without it', { completions: 4 }, 0],
    ['are unlimited if it is null', { completions: 4, passAttempts: null }, 0],
  ])('%s: %j', (_, stats, problems) => {
    expect(problemsOf('qb', stats)).toHaveLength(problems);
  });

  it('name the field to correct', () => {
    expect(problemsOf('qb', { passAttempts: 26, completions: 25, interceptionsThrown: 2 })).toEqual([
      {
        field: 'rows[0].stats.completions',
        message:
          'rows[0].stats.completions: completions and interceptionsThrown together (27) must not exceed passAttempts (26)',
      },
    ]);
    expect(problemsOf('offensive', { fumbles: 0, fumblesLost: 1 })).toEqual([
      {
        field: 'rows[0].stats.fumblesLost',
        message: 'rows[0].stats.fumblesLost: fumblesLost (1) must not exceed fumbles (0)',
      },
    ]);
  });
});

/** The play that yards and longest plays require (value, play), written out a second time as well. */
const plays: [StatisticsCategory, string, string][] = [
  ['qb', 'passingYards', 'completions'],
  ['qb', 'longestPass', 'completions'],
  ['qb', 'sackYardsLost', 'sacksTaken'],
  ['defensive', 'sackYards', 'sacks'],
  ['defensive', 'fumbleReturnYards', 'fumbleRecoveries'],
  ['punt', 'puntYards', 'punts'],
  ['punt', 'longestPunt', 'punts'],
  ['punt', 'returnYardsAllowed', 'punts'],
];

describe('playConstraints', () => {
  it('are exactly those of the specification', () => {
    const declared = Object.entries(statisticsTable).flatMap(([category, { playConstraints }]) =>
      playConstraints.flatMap(({ values, play }) => values.map((value) => [category, value, play])),
    );
    expect(declared).toEqual(plays);
  });

  it.each([1, -4])('reject a value of %i without a play by name', (puntYards) => {
    expect(problemsOf('punt', { puntYards, longestPunt: 0, returnYardsAllowed: null, punts: 0 })).toEqual([
      { field: 'rows[0].stats.puntYards', message: 'rows[0].stats.puntYards must be 0 or null if punts is 0' },
    ]);
  });

  it.each([{ punts: 1 }, { punts: null }, {}])('accept one beside %j', (counted) => {
    expect(problemsOf('punt', { puntYards: -4, longestPunt: 1, ...counted })).toEqual([]);
  });

  it('accept sack yards with half a sack', () => {
    expect(problemsOf('defensive', { sackYards: 3, sacks: 0.5 })).toEqual([]);
  });
});

describe('there is no rule', () => {
  it('for first downs without a completion, safeties, drops alone, declared punts or muffs', () => {
    expect(problemsOf('qb', { completions: 0, passingFirstDowns: 1, safetiesTaken: 2 })).toEqual([]);
    expect(problemsOf('offensive', { receptions: 0, drops: 3, firstDowns: 4 })).toEqual([]);
    expect(problemsOf('punt', { punts: 0, declaredPunts: 3, blocked: 1, fairCatches: 2 })).toEqual([]);
    expect(problemsOf('return', { kickReturns: 0, puntReturns: 0, muffs: 2, fairCatches: 1 })).toEqual([]);
  });
});

it.each<[StatisticsCategory, Stats]>([
  ['offensive', { targets: 0, receptions: 0, receivingYards: 22, longestReception: 22, receivingTouchdowns: 1 }],
  ['offensive', { rushAttempts: 0, rushingYards: 9, longestRush: 9, rushingTouchdowns: 1 }],
  ['defensive', { interceptions: 0, interceptionReturnYards: 30, interceptionTouchdowns: 1 }],
  ['return', { kickReturns: 0, kickReturnYards: 40, kickReturnTouchdowns: 1, longestKickReturn: 40 }],
  ['return', { puntReturns: 0, puntReturnYards: 15, puntReturnTouchdowns: 1 }],
])('accepts yards and touchdowns after a lateral without a play of their own: %s %j', (category, stats) => {
  expect(problemsOf(category, stats)).toEqual([]);
});
