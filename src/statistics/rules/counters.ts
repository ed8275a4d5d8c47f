import { defensive } from './categories/defensive.js';
import { offensive } from './categories/offensive.js';
import { punt } from './categories/punt.js';
import { qb } from './categories/qb.js';
import { returning } from './categories/return.js';
import type { CategoryDefinition, Counters } from './definition.js';

/** The categories of player statistics, in the order of the answers. */
export const statisticsCategories = ['qb', 'offensive', 'defensive', 'punt', 'return'] as const;

export type StatisticsCategory = (typeof statisticsCategories)[number];

/** The one table of counters, derived values and rules, by category: validation, answers and OpenAPI read it. */
export const statisticsTable: Readonly<Record<StatisticsCategory, CategoryDefinition<string>>> = {
  qb,
  offensive,
  defensive,
  punt,
  return: returning,
};

/** Whether a value is the exact name of a category. */
export function isStatisticsCategory(value: unknown): value is StatisticsCategory {
  return statisticsCategories.some((category) => category === value);
}

/** All counters of the category in the order of the table: as sent, `null` where not sent; -0 becomes 0. */
export function completeCounters(category: StatisticsCategory, sent: Counters): Record<string, number | null> {
  const names = Object.keys(statisticsTable[category].counters);
  return Object.fromEntries(names.map((name) => [name, plain(sent[name] ?? null)]));
}

/** JSON can say -0; no answer does. */
function plain(value: number | null): number | null {
  return value === 0 ? 0 : value;
}
