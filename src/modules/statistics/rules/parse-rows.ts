import { type FieldProblem, invalidField, invalidFields, maxDetails } from '../../../errors/service-error.js';
import { isRecordId } from '../../../validation/fields.js';
import { externalIdProblem } from '../../../validation/ids.js';
import { isJsonObject } from '../../../validation/json.js';
import { checkCounters, unknownFields } from './counters.js';
import type { Counters } from './definition.js';
import { isStatisticsCategory, statisticsCategories, type StatisticsCategory } from './statistics-table.js';

export const maxRows = 1000;

/** How a row names its player or side: by an ID, in lower case, or by the partner's own. */
interface RowName {
  readonly field: 'playerId' | 'playerExternalId' | 'teamId' | 'teamExternalId';
  readonly isOwn: boolean;
  readonly value: string;
}

/** A row of the PUT that satisfies every rule that does not depend on the schedule. */
export interface ParsedRow {
  readonly player: RowName;
  readonly side: RowName | undefined;
  readonly category: StatisticsCategory;
  /** All counters of the category, `null` if not tracked. */
  readonly stats: Counters;
}

const rowFields = ['playerId', 'playerExternalId', 'teamId', 'teamExternalId', 'category', 'stats'] as const;
const expected = 'playerId or playerExternalId, category and stats';

/**
 * Parses the `rows` of `PUT /schedules/{scheduleId}/player-statistics`: validates types, names, ranges and relations between
 * counters. The service checks the players and the schedule.
 *
 * @param rows the value from JSON.parse: class-transformer would silently drop keys such as `__proto__`
 * @throws ServiceError 40001 with the first 50 problems in the order of the rows; of each, unknown fields first
 */
export function parseRows(rows: unknown): ParsedRow[] {
  if (!Array.isArray(rows)) {
    throw invalidField('rows', `rows must be an array of objects with ${expected}`);
  }
  if (rows.length > maxRows) {
    throw invalidField('rows', `rows must have at most ${maxRows} entries, not ${rows.length}`);
  }
  const parsed: ParsedRow[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, row] of rows.entries()) {
    if (problems.length >= maxDetails) break;
    const result = parseRow(row, `rows[${index}]`, problems);
    if (result !== undefined) parsed.push(result);
  }
  if (problems.length > 0) throw invalidFields(problems);
  return parsed;
}

/** Parses one row and adds its problems. */
function parseRow(row: unknown, path: string, problems: FieldProblem[]): ParsedRow | undefined {
  const reject = (field: string, problem: string) => void problems.push({ field, message: `${field} ${problem}` });
  if (!isJsonObject(row)) {
    reject(path, `must be an object with ${expected}`);
    return undefined;
  }
  problems.push(...unknownFields(row, rowFields, path, `is not a known field; a row has ${expected}`));
  const rejectField = (name: (typeof rowFields)[number], problem: string) =>
    reject(`${path}.${name}`, row[name] === undefined ? 'is required' : problem);
  const player = parseName(row, 'player', rejectField);
  if (player === undefined) rejectField('playerId', 'is required');
  const side = parseName(row, 'team', rejectField);
  const category = isStatisticsCategory(row['category']) ? row['category'] : undefined;
  const stats = isJsonObject(row['stats']) ? row['stats'] : undefined;
  if (category === undefined) rejectField('category', `must be one of ${statisticsCategories.join(', ')}`);
  if (stats === undefined) rejectField('stats', 'must be an object of counters');
  // Without a category, the counters are unknown.
  const counters = category && stats && checkCounters(category, stats, `${path}.stats`, problems);
  return !player || side === null || !category || !counters ? undefined : { player, side, category, stats: counters };
}

/** Returns how a row names its player or side: undefined if it does not, and null if it rejects the name. */
function parseName(
  row: Readonly<Record<string, unknown>>,
  kind: keyof typeof idProblems,
  reject: (name: RowName['field'], problem: string) => void,
): RowName | null | undefined {
  const [id, own] = [`${kind}Id`, `${kind}ExternalId`] as const;
  const isOwn = row[own] !== undefined;
  const field = isOwn ? own : id;
  const value = row[field];
  if (value === undefined) return undefined;
  const ownProblem = row[id] === undefined ? externalIdProblem(value) : `must be omitted if ${id} is sent`;
  const problem = isOwn ? ownProblem : idProblems[kind](value);
  const text = value as string;
  if (problem === undefined) return { field, isOwn, value: isOwn ? text : text.toLowerCase() };
  reject(field, problem);
  return null;
}

const idProblems = {
  player: (value: unknown) => (isRecordId(value) ? undefined : 'must be an ID of 24 hexadecimal digits'),
  // Any other text is a team that does not play.
  team: (value: unknown) => (typeof value === 'string' ? undefined : 'must be a string'),
};
