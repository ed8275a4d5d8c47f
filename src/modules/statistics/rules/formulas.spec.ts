import { deriveValues } from './counters.js';
import { roundToTenth } from './formulas.js';
import { statisticsCategories } from './statistics-table.js';

/** Attempts, completions, yards, touchdowns, interceptions. */
type PassingLine = readonly [number, number, number, number, number];

function passing(...line: PassingLine): Record<string, number | null> {
  const [passAttempts, completions, passingYards, passingTouchdowns, interceptionsThrown] = line;
  return deriveValues('qb', { passAttempts, completions, passingYards, passingTouchdowns, interceptionsThrown });
}

describe('the NFL passer rating', () => {
  it.each([
    { promise: 'is 94.9 for 22 of 35, 280 yards, 2 touchdowns, 1 interception', line: [35, 22, 280, 2, 1], is: 94.9 },
    { promise: 'is 158.3 at best', line: [40, 31, 500, 5, 0], is: 158.3 },
    { promise: 'is 0 at worst, not below', line: [10, 0, 0, 0, 10], is: 0 },
  ] satisfies { promise: string; line: PassingLine; is: number }[])('$promise', ({ line, is }) => {
    expect(passing(...line)['passerRating']).toBe(is);
  });

  it('equals the published formula for many lines', () => {
    const clamp = (part: number) => Math.min(Math.max(part, 0), 2.375);
    for (let attempts = 1; attempts <= 40; attempts += 3) {
      for (let completions = 0; completions <= attempts; completions += 2) {
        const [yards, touchdowns, interceptions] = [completions * 9 - 4, completions % 4, attempts - completions];
        const a = clamp((completions / attempts - 0.3) * 5);
        const b = clamp((yards / attempts - 3) * 0.25);
        const c = clamp((touchdowns / attempts) * 20);
        const d = clamp(2.375 - (interceptions / attempts) * 25);
        const { passerRating } = passing(attempts, completions, yards, touchdowns, interceptions);
        expect(Math.abs((passerRating ?? NaN) - (100 * (a + b + c + d)) / 6)).toBeLessThan(0.05 + 1e-9);
      }
    }
  });
});

describe('the NCAA passing efficiency', () => {
  it.each([
    { promise: 'is (8.4 Y + 330 TD + 100 C - 200 INT) / A', line: [35, 22, 280, 2, 1], is: 143.2 },
    { promise: 'has no upper bound', line: [1, 1, 99, 1, 0], is: 1261.6 },
    { promise: 'has no lower bound', line: [1, 1, -99, 0, 0], is: -731.6 },
  ] satisfies { promise: string; line: PassingLine; is: number }[])('$promise', ({ line, is }) => {
    expect(passing(...line)['passingEfficiency']).toBe(is);
  });
});

describe('the other rates', () => {
  it('of offensive are those of its catches and runs', () => {
    const counters = { targets: 9, receptions: 7, receivingYards: 80, rushAttempts: 3, rushingYards: -5 };
    expect(deriveValues('offensive', counters)).toMatchObject({
      catchPercentage: 77.8,
      yardsPerReception: 11.4,
      yardsPerRush: -1.7,
    });
  });

  it('of punt subtract returns and 20 yards per touchback from the net average', () => {
    expect(deriveValues('punt', { punts: 4, puntYards: 165, returnYardsAllowed: 12, touchbacks: 1 })).toEqual({
      puntAverage: 41.3,
      netPuntAverage: 33.3,
    });
  });

  it('of return average kicks and punts separately', () => {
    const counters = { kickReturns: 3, kickReturnYards: 50, puntReturns: 2, puntReturnYards: -3 };
    expect(deriveValues('return', counters)).toMatchObject({ kickReturnAverage: 16.7, puntReturnAverage: -1.5 });
  });
});

describe('a rate', () => {
  it.each(statisticsCategories)('of %s is null, like every sum, if nothing is tracked', (category) => {
    expect(new Set(Object.values(deriveValues(category, {})))).toEqual(new Set([null]));
  });

  it('is null if its denominator is 0', () => {
    expect(new Set(Object.values(passing(0, 0, 0, 0, 0)))).toEqual(new Set([null]));
    expect(deriveValues('punt', { punts: 0, puntYards: 0, returnYardsAllowed: 0, touchbacks: 0 })).toEqual({
      puntAverage: null,
      netPuntAverage: null,
    });
  });

  it.each([
    ['its denominator is not tracked', { completions: 3 }, null],
    ['its numerator is not tracked', { passAttempts: 5 }, null],
    ['neither is 0', { passAttempts: 5, completions: 0 }, 0],
  ])('of which %s: %j', (_, counters, rate) => {
    expect(deriveValues('qb', counters)['completionPercentage']).toBe(rate);
  });

  it('of several counters is null if one of them is not tracked', () => {
    const counters = { passAttempts: 9, completions: 5, passingYards: 60, passingTouchdowns: 1 };
    expect(deriveValues('qb', counters)).toMatchObject({ passerRating: null, passingEfficiency: null });
  });

  it('does not depend on another rate that is null', () => {
    expect(deriveValues('punt', { punts: 2, puntYards: 61 })).toEqual({ puntAverage: 30.5, netPuntAverage: null });
  });
});

describe('a derived sum', () => {
  it('of offensive adds yards, touchdowns and points: 6 per touchdown, 1, 2 or 3 per conversion', () => {
    const counters = {
      receivingYards: 80,
      rushingYards: -5,
      receivingTouchdowns: 2,
      rushingTouchdowns: 1,
      onePointConversions: 1,
      twoPointConversions: 2,
      threePointConversions: 3,
    };
    expect(deriveValues('offensive', counters)).toMatchObject({ scrimmageYards: 75, touchdowns: 3, pointsScored: 32 });
  });

  it('of defensive adds stops, touchdowns, takeaways and points, half sacks too', () => {
    const counters = {
      flagPulls: 4,
      sacks: 1.5,
      interceptions: 2,
      interceptionTouchdowns: 1,
      fumbleRecoveries: 1,
      fumbleReturnTouchdowns: 1,
      safeties: 1,
      tryReturnPoints: 2,
    };
    expect(deriveValues('defensive', counters)).toEqual({
      totalStops: 5.5,
      defensiveTouchdowns: 2,
      takeaways: 3,
      pointsScored: 16,
    });
  });

  it('of return adds kicks and punts', () => {
    const counters = {
      kickReturnYards: 50,
      puntReturnYards: -3,
      kickReturnTouchdowns: 1,
      puntReturnTouchdowns: 1,
    };
    expect(deriveValues('return', counters)).toMatchObject({ returnYards: 47, returnTouchdowns: 2 });
  });

  it('counts an untracked part as 0', () => {
    expect(deriveValues('offensive', { rushingYards: 12, threePointConversions: 1 })).toMatchObject({
      scrimmageYards: 12,
      touchdowns: null,
      pointsScored: 3,
    });
  });

  it('is 0 if a part is tracked as 0', () => {
    expect(deriveValues('return', { kickReturnYards: 0 })['returnYards']).toBe(0);
  });
});

describe('rounding to one decimal', () => {
  it.each([
    [25, 4, 6.3],
    [-25, 4, -6.3],
    [1, 20, 0.1],
    [-1, 20, -0.1],
    // The binary number nearest to 1.15 is slightly less.
    [23, 20, 1.2],
    [1, 3, 0.3],
    [2, 3, 0.7],
    [-5, 3, -1.7],
    [49, 1000, 0],
  ])('rounds %d / %d to %d, halves away from zero', (numerator, denominator, rounded) => {
    expect(roundToTenth({ numerator, denominator })).toBe(rounded);
  });

  it('never returns -0', () => {
    expect(roundToTenth({ numerator: -1, denominator: 100 })).toBe(0);
    expect(roundToTenth({ numerator: -0, denominator: 5 })).toBe(0);
    expect(deriveValues('return', { kickReturnYards: -0, kickReturns: 1 })).toMatchObject({
      kickReturnAverage: 0,
      returnYards: 0,
    });
  });

  it('is exact for the maximum of each counter', () => {
    expect(passing(9999, 9999, 9999, 9999, 0)['passingEfficiency']).toBe(438.4);
    expect(passing(1, 0, -9999, 0, 0)['passingEfficiency']).toBe(-83991.6);
  });
});
