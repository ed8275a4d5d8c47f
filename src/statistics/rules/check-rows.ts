import type { FieldProblem } from '../../common/errors/service-error.js';
import { checkCounters } from './check-counters.js';
import { isStatisticsCategory, statisticsCategories, type StatisticsCategory } from './counters.js';
import type { Counters } from './definition.js';
import { fieldOf, isJsonObject, type JsonObject, unknownNames } from './json-object.js';

/** So many rows replace a schedule's statistics at most. */
export const maximumRows = 1000;

/** An answer names so many problems at most; the search ends there. */
const maximumProblems = 50;

const rowFields = ['playerId', 'category', 'stats'] as const satisfies (keyof CheckedRow)[];

/** A row of the PUT that holds every rule that can be told without the schedule; `playerId` is in lower case. */
export interface CheckedRow {
  readonly playerId: string;
  readonly category: StatisticsCategory;
  /** All counters of the category, `null` where not tracked. */
  readonly stats: Counters;
}

/** Either all rows, in the order sent, or what is wrong: 1 to 50 problems in the order of the rows and their fields. */
export type CheckedRows =
  | { readonly accepted: true; readonly rows: readonly CheckedRow[] }
  | { readonly accepted: false; readonly problems: readonly FieldProblem[] };

/**
 * Checks the `rows` of `PUT /schedules/{scheduleId}/player-statistics`: types, names, ranges, the relations between
 * counters, and that no player has a category twice. Players and the schedule are left to the service.
 *
 * @param rows the value as JSON.parse gave it: class-transformer would drop keys such as `__proto__` unseen
 */
export function checkRows(rows: unknown): CheckedRows {
  if (!Array.isArray(rows)) {
    return refused({ field: 'rows', message: 'rows must be a list of objects with playerId, category and stats' });
  }
  if (rows.length > maximumRows) {
    return refused({ field: 'rows', message: `rows must hold at most ${maximumRows} objects, not ${rows.length}` });
  }
  const checked: CheckedRow[] = [];
  const problems: FieldProblem[] = [];
  const firstRowOf = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const result = checkRow(row, `rows[${index}]`, firstRowOf);
    problems.push(...result.problems.slice(0, maximumProblems - problems.length));
    if (problems.length >= maximumProblems) {
      break;
    }
    if (result.row) {
      checked.push(result.row);
    }
  }
  return problems.length === 0 ? { accepted: true, rows: checked } : refused(...problems);
}

function refused(...problems: FieldProblem[]): CheckedRows {
  return { accepted: false, problems };
}

/** One row; `firstRowOf` remembers the path of the row in which a player and category came first. */
function checkRow(
  row: unknown,
  path: string,
  firstRowOf: Map<string, string>,
): { row?: CheckedRow; problems: FieldProblem[] } {
  if (!isJsonObject(row)) {
    return { problems: [{ field: path, message: `${path} must be an object with playerId, category and stats` }] };
  }
  const problems: FieldProblem[] = [];
  const playerId = checkPlayerId(row, path, problems);
  const category = checkCategory(row, path, problems);
  if (playerId !== undefined && category !== undefined) {
    refuseSecond(`${playerId} ${category}`, category, path, firstRowOf, problems);
  }
  const stats = checkStats(row, path, category, problems);
  for (const name of unknownNames(row, rowFields)) {
    const field = fieldOf(path, name);
    problems.push({ field, message: `${field} is not known: a row has playerId, category and stats` });
  }
  const complete = playerId !== undefined && category !== undefined && stats !== undefined;
  return complete ? { row: { playerId, category, stats }, problems } : { problems };
}

function checkPlayerId(row: JsonObject, path: string, problems: FieldProblem[]): string | undefined {
  const value = row['playerId'];
  if (typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value)) {
    return value.toLowerCase();
  }
  const field = fieldOf(path, 'playerId');
  problems.push({ field, message: `${field} must be a text of 24 hexadecimal digits` });
  return undefined;
}

function checkCategory(row: JsonObject, path: string, problems: FieldProblem[]): StatisticsCategory | undefined {
  const value = row['category'];
  if (isStatisticsCategory(value)) {
    return value;
  }
  const field = fieldOf(path, 'category');
  problems.push({ field, message: `${field} must be one of ${statisticsCategories.join(', ')}` });
  return undefined;
}

function refuseSecond(
  key: string,
  category: StatisticsCategory,
  path: string,
  firstRowOf: Map<string, string>,
  problems: FieldProblem[],
): void {
  const first = firstRowOf.get(key);
  if (first === undefined) {
    firstRowOf.set(key, path);
    return;
  }
  const field = fieldOf(path, 'playerId');
  problems.push({ field, message: `${field} has a row of the category ${category} already, ${first}` });
}

function checkStats(
  row: JsonObject,
  path: string,
  category: StatisticsCategory | undefined,
  problems: FieldProblem[],
): Counters | undefined {
  const value = row['stats'];
  const field = fieldOf(path, 'stats');
  if (!isJsonObject(value)) {
    problems.push({ field, message: `${field} must be an object of counters` });
    return undefined;
  }
  // Without a category it cannot be said which counters are right.
  if (category === undefined) {
    return undefined;
  }
  const { counters, problems: wrong } = checkCounters(category, value, field);
  for (const problem of wrong) {
    problems.push(problem);
  }
  return counters;
}
