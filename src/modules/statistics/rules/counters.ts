import { type FieldProblem, maxDetails, truncateName } from '../../../errors/service-error.js';
import type { JsonObject } from '../../../validation/json.js';
import type { Counter, Counters, PlayConstraint, SumConstraint } from './definition.js';
import { statisticsCategories, type StatisticsCategory, statisticsTable } from './statistics-table.js';

/** Listed once, because listing them for each row costs four times as much as the rest of the row. */
const counterNames = forEachCategory((category) => Object.keys(statisticsTable[category].counters));
const derivedValues = forEachCategory((category) => Object.entries(statisticsTable[category].derived));

/** Returns a value for each category. */
export function forEachCategory<T>(list: (category: StatisticsCategory) => T): Record<StatisticsCategory, T> {
  return Object.fromEntries(statisticsCategories.map((category) => [category, list(category)])) as never;
}

/** Returns all counters of the category in the order of the table: `null` if not sent, and -0 as 0. */
export function completeCounters(category: StatisticsCategory, sent: Counters): Record<string, number | null> {
  const counters: Record<string, number | null> = {};
  for (const name of counterNames[category]) counters[name] = sent[name] === 0 ? 0 : (sent[name] ?? null);
  return counters;
}

/** The name of a counter among those of one rate. */
export const rateCounter = (rate: string, counter: string): string => `${rate}_${counter}`;

/**
 * Returns all derived values of the category in the order of the table.
 * @param rated over several games: the counters of each rate, by `rateCounter`, from the games that track all of them
 */
export function deriveValues(
  category: StatisticsCategory,
  counters: Counters,
  rated?: Counters,
): Record<string, number | null> {
  const values: Record<string, number | null> = {};
  for (const [name, { counters: used, isRate, compute }] of derivedValues[category]) {
    const valueOf = (each: string) => (isRate && rated ? rated[rateCounter(name, each)] : counters[each]);
    values[name] = compute(used.map((each) => valueOf(each) ?? null));
  }
  return values;
}

/**
 * Checks the `stats` of a row, at a path such as `rows[3].stats`, against the counters and rules of its category. Adds
 * problems of unknown names, of counters and of rules, in this order, and returns the complete counters, which are valid
 * only if no problem was added.
 */
export function checkCounters(
  category: StatisticsCategory,
  sent: JsonObject,
  path: string,
  problems: FieldProblem[],
): Counters {
  const { counters: definitions, sumConstraints, playConstraints } = statisticsTable[category];
  problems.push(...unknownFields(sent, counterNames[category], path, `is not a counter of the category ${category}`));
  const add = ({ field, message }: FieldProblem) =>
    problems.push({ field: `${path}.${field}`, message: `${path}.${field}${message}` });
  const valid: Record<string, number | null> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : null;
    // `valid` excludes an invalid value, so that no rule reports it again.
    if (isCounterValue(value, definition)) valid[name] = value;
    else add({ field: name, message: ` must be ${rangeOf(definition)}` });
  }
  const counters = completeCounters(category, valid);
  sumConstraints.flatMap((rule) => checkSumConstraint(rule, counters)).forEach(add);
  playConstraints.flatMap((rule) => checkPlayConstraint(rule, counters)).forEach(add);
  return counters;
}

/** Returns whether a value is valid as it is. Infinity, which JSON.parse returns for 1e999, is not an integer. */
function isCounterValue(value: unknown, { minimum, maximum, step }: Counter): value is number | null {
  if (value === null) return true;
  return typeof value === 'number' && Number.isInteger(value / step) && value >= minimum && value <= maximum;
}

function rangeOf({ minimum, maximum, step }: Counter): string {
  const number = step === 1 ? 'an integer' : `a multiple of ${step}`;
  return `${number} from ${minimum} to ${maximum}, or null if it is not tracked`;
}

function checkSumConstraint({ parts, limit }: SumConstraint<string>, counters: Counters): FieldProblem[] {
  const allowed = counters[limit] ?? null;
  const total = parts.reduce((sum, part) => sum + (counters[part] ?? 0), 0);
  if (allowed === null || total <= allowed) return [];
  // Name the first part that adds to the total, because an omitted part cannot be corrected.
  const field = parts.find((part) => (counters[part] ?? 0) > 0) ?? parts[0];
  const together = parts.length === 1 ? '' : ' together';
  return [{ field, message: `: ${parts.join(' and ')}${together} (${total}) must not exceed ${limit} (${allowed})` }];
}

function checkPlayConstraint({ values, play }: PlayConstraint<string>, counters: Counters): FieldProblem[] {
  if (counters[play] !== 0) return [];
  const invalid = values.filter((name) => (counters[name] ?? 0) !== 0);
  return invalid.map((field) => ({ field, message: ` must be 0 or null if ${play} is 0` }));
}

/** Rejects the first 50 unknown names; a body of 1 MB can have 150,000. Unusual names are quoted. */
export function unknownFields(row: JsonObject, known: readonly string[], path: string, reason: string): FieldProblem[] {
  const unknown = Object.keys(row).filter((name) => !known.includes(name));
  return unknown.slice(0, maxDetails).map((name) => {
    const field = /^\w{1,60}$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(truncateName(name))}]`;
    return { field, message: `${field} ${reason}` };
  });
}
