import { ofEachCategory, type StatisticsCategory } from './counters.js';
import type { Counters, DerivedRate, DerivedSum, Fraction } from './definition.js';

/** Each category's derived values with their names, in the order of the table. */
const derivedOf = ofEachCategory(({ derived }) => Object.entries(derived));

/**
 * The derived values of a row, all of the category in the order of the table. In a sum an untracked part counts 0, and
 * the sum is `null` where all parts are untracked. A rate is `null` where one of its counters is untracked or its
 * denominator is 0, else rounded to one decimal. Over several games: give the sums of the counters, never average rates.
 */
export function deriveRates(category: StatisticsCategory, counters: Counters): Record<string, number | null> {
  const derived: Record<string, number | null> = {};
  for (const [name, definition] of derivedOf[category]) {
    derived[name] = definition.kind === 'sum' ? valueOfSum(definition, counters) : valueOfRate(definition, counters);
  }
  return derived;
}

function valueOfSum(definition: DerivedSum<string>, counters: Counters): number | null {
  let total: number | null = null;
  for (const [weight, name] of definition.terms) {
    const value = counters[name] ?? null;
    if (value !== null) total = (total ?? 0) + weight * value;
  }
  return total;
}

function valueOfRate(definition: DerivedRate<string>, counters: Counters): number | null {
  const tracked: number[] = [];
  for (const name of definition.counters) {
    const value = counters[name] ?? null;
    if (value === null) return null;
    tracked.push(value);
  }
  const fraction = definition.fraction(...tracked);
  return fraction.denominator === 0 ? null : roundToTenth(fraction);
}

/**
 * The fraction rounded to one decimal, halves away from zero (6.25 → 6.3, -6.25 → -6.3), never -0. Numerator and
 * denominator are whole numbers, the denominator above 0: the remainder decides exactly, where a rounding of the binary
 * quotient would see 1.005 as a little less.
 */
export function roundToTenth({ numerator, denominator }: Fraction): number {
  const doubled = 20 * Math.abs(numerator) + denominator;
  const tenths = (doubled - (doubled % (2 * denominator))) / (2 * denominator);
  return (numerator < 0 ? 0 - tenths : tenths) / 10;
}
