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

const limitCases = limits.flatMap(([category, parts, limit]) =>
  parts.split(' ').map((part) => ({ category, part, others: parts.split(' ').filter((name) => name !== part), limit })),
);

describe('sumConstraints', () => {
  it('are exactly those of the specification', () => {
    const declared = Object.entries(statisticsTable).flatMap(([category, { sumConstraints }]) =>
      sumConstraints.map(({ parts, limit }) => [category, parts.join(' '), limit]),
    );
    expect(declared).toEqual(limits);
  });

  it.each(limitCases)('$category: $part may reach $limit', ({ category, part, limit }) => {
    expect(problemsOf(category, { [part]: 3, [limit]: 3 })).toEqual([]);
  });

  it.each(limitCases)('$category: $part over $limit is rejected by name', ({ category, part, limit }) => {
    const [problem, ...more] = problemsOf(category, { [part]: 4, [limit]: 3 });
    expect(more).toEqual([]);
    expect(problem?.field).toBe(`rows[0].stats.${part}`);
    expect(problem?.message).toMatch(
      new RegExp(`^rows\\[0\\]\\.stats\\.${part}: .* must not exceed ${limit} \\(3\\)$`),
    );
  });

  it.each(limitCases)('$category: $part with a $limit of 0 is rejected', ({ category, part, limit }) => {
    expect(problemsOf(category, { [part]: 1, [limit]: 0 })).toHaveLength(1);
  });

  it.each(limitCases)('$category: $part is unlimited if $limit is not tracked', ({ category, part, limit }) => {
    expect(problemsOf(category, { [part]: 4 })).toEqual([]);
    expect(problemsOf(category, { [part]: 4, [limit]: null })).toEqual([]);
  });

  it.each(limitCases.filter(({ others }) => others.length > 0))(
    '$category: $part counts together with $others',
    ({ category, part, others, limit }) => {
      const other = String(others[0]);
      expect(problemsOf(category, { [part]: 2, [other]: 1, [limit]: 3 })).toEqual([]);
      expect(problemsOf(category, { [part]: 2, [other]: 2, [limit]: 3 })).toHaveLength(1);
    },
  );

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

  it.each(plays)('%s: %s other than 0 with 0 %s is rejected by name', (category, value, play) => {
    expect(problemsOf(category, { [value]: 1, [play]: 0 })).toEqual([
      {
        field: `rows[0].stats.${value}`,
        message: `rows[0].stats.${value} must be 0 or null if ${play} is 0`,
      },
    ]);
  });

  it.each(plays)('%s: %s of 0 or untracked is accepted with 0 %s', (category, value, play) => {
    expect(problemsOf(category, { [value]: 0, [play]: 0 })).toEqual([]);
    expect(problemsOf(category, { [value]: null, [play]: 0 })).toEqual([]);
  });

  it.each(plays)('%s: %s is accepted with a play, and if %s is not tracked', (category, value, play) => {
    expect(problemsOf(category, { [value]: 1, [play]: 1 })).toEqual([]);
    expect(problemsOf(category, { [value]: 1, [play]: null })).toEqual([]);
    expect(problemsOf(category, { [value]: 1 })).toEqual([]);
  });

  it.each(plays.filter(([, value]) => !value.startsWith('sackYards')))(
    '%s: %s of a lost-yardage play may be negative, but not with 0 %s',
    (category, value, play) => {
      expect(problemsOf(category, { [value]: -4, [play]: 1 })).toEqual([]);
      expect(problemsOf(category, { [value]: -4, [play]: 0 })).toHaveLength(1);
    },
  );

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
