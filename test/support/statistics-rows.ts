import { type FieldProblem, ServiceError } from '../../src/errors/service-error.js';
import { parseRows } from '../../src/modules/statistics/rules/parse-rows.js';

export const playerId = '0123456789abcdef01234567';

/** A row of the category qb, unless `more` overrides it. */
export const row = (stats: unknown, more: object = {}) => ({ playerId, category: 'qb', stats, ...more });

/** The problems of rejected rows; empty if they are accepted. */
export function problemsOf(rows: unknown): readonly FieldProblem[] {
  try {
    parseRows(rows);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.details ?? [];
    throw error;
  }
}

export const fieldsOf = (rows: unknown) => problemsOf(rows).map(({ field }) => field);
