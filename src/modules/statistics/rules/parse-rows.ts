import { type FieldProblem, invalidField, invalidFields, maxDetails } from '../../../errors/service-error.js';
import { isRecordId } from '../../../validation/fields.js';
import { isJsonObject } from '../../../validation/field.js';
import { checkCounters, unknownFields } from './counters.js';
import type { Counters } from './definition.js';
import { isStatisticsCategory, statisticsCategories, type StatisticsCategory } from './statistics-table.js';

export const maxRows = 1000;

/** A row of the PUT that satisfies every rule that does not depend on the schedule. */
export interface ParsedRow {
  /** In lower case. */
  readonly playerId: string;
  readonly category: StatisticsCategory;
  /** All counters of the category, `null` if not tracked. */
  readonly stats: Counters;
}

const rowFields: readonly (keyof ParsedRow)[] = ['playerId', 'category', 'stats'];

/**
 * Parses the `rows` of `PUT /schedules/{scheduleId}/player-statistics`: validates types, names, ranges and relations
 * between counters, and rejects a second row for the same player and category. The service checks the players and the schedule.
 *
 * @param rows the value from JSON.parse: class-transformer would silently drop keys such as `__proto__`
 * @throws ServiceError 40001 with the first 50 problems in the order of the rows and their fields
 */
export function parseRows(rows: unknown): ParsedRow[] {
  if (!Array.isArray(rows)) {
    throw invalidField('rows', 'rows must be an array of objects with playerId, category and stats');
  }
  if (rows.length > maxRows) {
    throw invalidField('rows', `rows must have at most ${maxRows} entries, not ${rows.length}`);
  }
  const parsed: ParsedRow[] = [];
  const problems: FieldProblem[] = [];
  const firstPaths = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    if (problems.length >= maxDetails) break;
    const result = parseRow(row, `rows[${index}]`, firstPaths, problems);
    if (result !== undefined) parsed.push(result);
  }
  if (problems.length > 0) throw invalidFields(problems);
  return parsed;
}

/** Parses one row and adds its problems; `firstPaths` maps a player and category to the path of their first row. */
function parseRow(
  row: unknown,
  path: string,
  firstPaths: Map<string, string>,
  problems: FieldProblem[],
): ParsedRow | undefined {
  const reject = (field: string, problem: string) => void problems.push({ field, message: `${field} ${problem}` });
  if (!isJsonObject(row)) {
    reject(path, 'must be an object with playerId, category and stats');
    return undefined;
  }
  const rejectField = (name: keyof ParsedRow, problem: string) =>
    reject(`${path}.${name}`, row[name] === undefined ? 'is required' : problem);
  const playerId = isRecordId(row['playerId']) ? row['playerId'].toLowerCase() : undefined;
  const category = isStatisticsCategory(row['category']) ? row['category'] : undefined;
  const stats = isJsonObject(row['stats']) ? row['stats'] : undefined;
  if (playerId === undefined) rejectField('playerId', 'must be an ID of 24 hexadecimal digits');
  if (category === undefined) rejectField('category', `must be one of ${statisticsCategories.join(', ')}`);
  if (playerId !== undefined && category !== undefined) {
    const first = firstPaths.get(`${playerId} ${category}`);
    if (first === undefined) firstPaths.set(`${playerId} ${category}`, path);
    else reject(`${path}.playerId`, `already has a row of the category ${category}: ${first}`);
  }
  if (stats === undefined) rejectField('stats', 'must be an object of counters');
  // Without a category, the counters are unknown.
  const counters = category && stats && checkCounters(category, stats, `${path}.stats`, problems);
  for (const field of unknownFields(row, rowFields, path)) {
    reject(field, 'is not a known field; a row has playerId, category and stats');
  }
  return playerId === undefined || !category || !counters ? undefined : { playerId, category, stats: counters };
}
