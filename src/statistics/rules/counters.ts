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

/** What is found out of every category once. */
export function ofEachCategory<T>(find: (category: CategoryDefinition<string>) => T): Record<StatisticsCategory, T> {
  return {
    qb: find(qb),
    offensive: find(offensive),
    defensive: find(defensive),
    punt: find(punt),
    return: find(returning),
  };
}

/** The names of each category's counters, in the order of the table. */
const counterNames = ofEachCategory(({ counters }) => Object.keys(counters));

/** Whether a value is the exact name of a category. */
export function isStatisticsCategory(value: unknown): value is StatisticsCategory {
  return statisticsCategories.some((category) => category === value);
}

/** All counters of the category in the order of the table: as sent, `null` where not sent; -0 becomes 0. */
export function completeCounters(category: StatisticsCategory, sent: Counters): Record<string, number | null> {
  const complete: Record<string, number | null> = {};
  for (const name of counterNames[category]) complete[name] = plain(sent[name] ?? null);
  return complete;
}

/** JSON can say -0; no answer does. */
function plain(value: number | null): number | null {
  return value === 0 ? 0 : value;
}
