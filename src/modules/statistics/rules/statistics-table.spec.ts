import { completeCounters } from './counters.js';
import { statisticsCategories, statisticsTable } from './statistics-table.js';

/**
 * The counters and derived values of each category, written out a second time: the table must not decide what it is
 * checked against.
 */
const promised = {
  qb: {
    counters:
      'passAttempts completions passingYards passingTouchdowns interceptionsThrown longestPass passingFirstDowns ' +
      'sacksTaken sackYardsLost onePointPassAttempts onePointPassConversions twoPointPassAttempts ' +
      'twoPointPassConversions threePointPassAttempts threePointPassConversions safetiesTaken',
    derived:
      'completionPercentage yardsPerAttempt yardsPerCompletion touchdownPercentage interceptionPercentage ' +
      'passerRating passingEfficiency',
  },
  offensive: {
    counters:
      'targets receptions receivingYards receivingTouchdowns longestReception drops rushAttempts rushingYards ' +
      'rushingTouchdowns longestRush firstDowns onePointAttempts onePointConversions twoPointAttempts ' +
      'twoPointConversions threePointAttempts threePointConversions fumbles fumblesLost',
    derived: 'catchPercentage yardsPerReception yardsPerRush scrimmageYards touchdowns pointsScored',
  },
  defensive: {
    counters:
      'flagPulls flagPullsForLoss missedFlagPulls sacks sackYards quarterbackHurries passBreakups interceptions ' +
      'interceptionReturnYards interceptionTouchdowns longestInterceptionReturn forcedFumbles fumbleRecoveries ' +
      'fumbleReturnYards fumbleReturnTouchdowns safeties tryReturns tryReturnPoints blockedPunts',
    derived: 'totalStops defensiveTouchdowns takeaways pointsScored',
  },
  punt: {
    counters:
      'punts declaredPunts puntYards longestPunt puntsInside20 touchbacks blocked fairCatches returnYardsAllowed',
    derived: 'puntAverage netPuntAverage',
  },
  return: {
    counters:
      'kickReturns kickReturnYards kickReturnTouchdowns longestKickReturn puntReturns puntReturnYards ' +
      'puntReturnTouchdowns longestPuntReturn fairCatches muffs',
    derived: 'kickReturnAverage puntReturnAverage returnYards returnTouchdowns',
  },
};

describe('the table of statistics', () => {
  const definitions = Object.values(statisticsTable).flatMap(({ counters }) => Object.entries(counters));

  it('has the five categories in the order of the answers', () => {
    expect(statisticsCategories).toEqual(['qb', 'offensive', 'defensive', 'punt', 'return']);
  });

  it.each(statisticsCategories)('has every counter and derived value of %s, in order, and no other', (category) => {
    expect(Object.keys(statisticsTable[category].counters)).toEqual(promised[category].counters.split(' '));
    expect(Object.keys(statisticsTable[category].derived)).toEqual(promised[category].derived.split(' '));
  });

  it('lets yards and longests be negative, but no other counter and not the yards of sacks', () => {
    const negative = definitions.filter(([, { minimum }]) => minimum < 0).map(([name]) => name);
    const expected = definitions.map(([name]) => name).filter((name) => /yards|^longest/i.test(name));
    expect(negative).toEqual(expected.filter((name) => !name.startsWith('sackYards')));
  });

  it('counts only sacks and flag pulls in steps of 0.5', () => {
    const halved = definitions.filter(([, { step }]) => step !== 1).map(([name]) => name);
    expect(halved).toEqual(['flagPulls', 'sacks']);
  });

  it('bounds exactly the counters named longest at 110', () => {
    const bounded = definitions.filter(([, { maximum }]) => maximum === 110).map(([name]) => name);
    expect(bounded).toEqual(definitions.map(([name]) => name).filter((name) => name.startsWith('longest')));
  });
});

describe('completeCounters', () => {
  it('returns all counters in order, null if not sent, and no others', () => {
    const complete = completeCounters('punt', { touchbacks: 0, punts: 3, completions: 1 });
    expect(Object.keys(complete)).toEqual(promised.punt.counters.split(' '));
    expect(complete).toMatchObject({ punts: 3, puntYards: null, touchbacks: 0 });
  });

  it('makes -0 a 0', () => {
    expect(completeCounters('punt', { puntYards: -0 })['puntYards']).toBe(0);
  });
});
