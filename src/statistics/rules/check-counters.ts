import type { FieldProblem } from '../../common/errors/service-error.js';
import { completeCounters, statisticsTable, type StatisticsCategory } from './counters.js';
import { type CounterDefinition, counterRanges, type Counters, type PlayValues, type SumLimit } from './definition.js';
import { fieldOf, type JsonObject, unknownNames } from './json-object.js';

/** What is wrong with one counter, named without the row. */
interface CounterProblem {
  readonly counter: string;
  readonly message: string;
}

/**
 * Checks the `stats` of a row against the counters and rules of its category.
 *
 * @param path where the object stands, such as `rows[3].stats`
 * @returns the complete counters, meaningful where there are no problems; the problems in the order of the table, names
 *   that the category does not have last
 */
export function checkCounters(
  category: StatisticsCategory,
  sent: JsonObject,
  path: string,
): { counters: Counters; problems: FieldProblem[] } {
  const { counters: definitions, sumLimits, playValues } = statisticsTable[category];
  const names = Object.keys(definitions);
  const found: CounterProblem[] = [];
  const readable: Record<string, number | null> = {};
  for (const [counter, definition] of Object.entries(definitions)) {
    const value = Object.hasOwn(sent, counter) ? sent[counter] : null;
    if (isCounterValue(value, definition)) {
      readable[counter] = value;
    } else {
      // Left out of `readable`, so that no rule complains a second time about a value that is wrong by itself.
      found.push({ counter, message: `${fieldOf(path, counter)} must be ${numbersTakenBy(definition)}` });
    }
  }
  const counters = completeCounters(category, readable);
  for (const rule of sumLimits) {
    found.push(...brokenSumLimit(rule, counters, path));
  }
  for (const rule of playValues) {
    found.push(...brokenPlayValues(rule, counters, path));
  }
  found.sort((one, other) => names.indexOf(one.counter) - names.indexOf(other.counter));
  for (const counter of unknownNames(sent, names)) {
    found.push({ counter, message: `${fieldOf(path, counter)} is not a counter of the category ${category}` });
  }
  return {
    counters,
    problems: found.map(({ counter, message }) => ({ field: fieldOf(path, counter), message })),
  };
}

/** No conversion: `"3"` and `true` are no numbers. Infinity (JSON's 1e999) is no multiple of a step. */
function isCounterValue(value: unknown, { kind }: CounterDefinition): value is number | null {
  if (value === null) {
    return true;
  }
  const { minimum, maximum, step } = counterRanges[kind];
  return typeof value === 'number' && Number.isInteger(value / step) && value >= minimum && value <= maximum;
}

function numbersTakenBy({ kind }: CounterDefinition): string {
  const { minimum, maximum, step } = counterRanges[kind];
  const number = step === 1 ? 'a whole number' : `a multiple of ${step}`;
  return `${number} from ${minimum} to ${maximum}, or null where it is not tracked`;
}

function brokenSumLimit({ parts, limit }: SumLimit<string>, counters: Counters, path: string): CounterProblem[] {
  const allowed = counters[limit] ?? null;
  const total = parts.reduce((sum, part) => sum + (counters[part] ?? 0), 0);
  if (allowed === null || total <= allowed) {
    return [];
  }
  // The first part that adds to the total: one that was not sent is not the one to mend.
  const counter = parts.find((part) => (counters[part] ?? 0) > 0) ?? parts[0];
  const together = parts.length === 1 ? '' : ' together';
  const message =
    `${fieldOf(path, counter)}: ${parts.join(' and ')}${together} (${total}) ` +
    `must not exceed ${limit} (${allowed})`;
  return [{ counter, message }];
}

function brokenPlayValues({ values, play }: PlayValues<string>, counters: Counters, path: string): CounterProblem[] {
  if (counters[play] !== 0) {
    return [];
  }
  return values
    .filter((counter) => (counters[counter] ?? 0) !== 0)
    .map((counter) => ({
      counter,
      message: `${fieldOf(path, counter)} must be 0 or null where ${play} is 0`,
    }));
}
