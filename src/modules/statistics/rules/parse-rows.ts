import { type FieldProblem, invalidField, invalidFields, maxDetails } from '../../../errors/service-error.js';
import { isRecordId } from '../../../validation/fields.js';
import { externalIdProblem } from '../../../validation/ids.js';
import { isJsonObject } from '../../../validation/json.js';
import { checkCounters, unknownFields } from './counters.js';
import type { Counters } from './definition.js';
import { isStatisticsCategory, statisticsCategories, type StatisticsCategory } from './statistics-table.js';

export const maxRows = 1000;

/** The player of a row: an ID in lower case, or the partner's own ID. */
type PlayerName = { readonly playerId: string } | { readonly playerExternalId: string };
/** The side that a row states: the ID of a team in lower case, or the partner's own ID. */
type SideName = { readonly teamId: string } | { readonly teamExternalId: string };

/** A row of the PUT that satisfies every rule that does not depend on the schedule. */
export interface ParsedRow {
  readonly player: PlayerName;
  readonly side: SideName | undefined;
  readonly category: StatisticsCategory;
  /** All counters of the category, `null` if not tracked. */
  readonly stats: Counters;
}

const rowFields = ['playerId', 'playerExternalId', 'teamId', 'teamExternalId', 'category', 'stats'] as const;
const expected = 'playerId or playerExternalId, category and stats';

/**
 * Parses the `rows` of `PUT /schedules/{scheduleId}/player-statistics`: validates types, names, ranges and relations
 * between counters, and rejects a second row for the same player and category. The service checks the players and the schedule.
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
    reject(path, `must be an object with ${expected}`);
    return undefined;
  }
  problems.push(...unknownFields(row, rowFields, path, `is not a known field; a row has ${expected}`));
  const rejectField = (name: (typeof rowFields)[number], problem: string) =>
    reject(`${path}.${name}`, row[name] === undefined ? 'is required' : problem);
  const player = parsePlayer(row, rejectField);
  const side = parseSide(row, rejectField);
  const category = isStatisticsCategory(row['category']) ? row['category'] : undefined;
  const stats = isJsonObject(row['stats']) ? row['stats'] : undefined;
  if (category === undefined) rejectField('category', `must be one of ${statisticsCategories.join(', ')}`);
  if (stats === undefined) rejectField('stats', 'must be an object of counters');
  // Without a category, the counters are unknown.
  const counters = category && stats && checkCounters(category, stats, `${path}.stats`, problems);
  if (player !== undefined && side !== null && category !== undefined) {
    // An ID names one player, whatever the side.
    const key = JSON.stringify(['playerId' in player ? player : [player, side], category]);
    const first = firstPaths.get(key);
    const name = 'playerId' in player ? 'playerId' : 'playerExternalId';
    if (first === undefined) firstPaths.set(key, path);
    else reject(`${path}.${name}`, `already has a row of the category ${category}: ${first}`);
  }
  return !player || side === null || !category || !counters ? undefined : { player, side, category, stats: counters };
}

/** Returns the player of a row, or rejects the fields that do not name one. */
function parsePlayer(
  { playerId, playerExternalId }: Readonly<Record<string, unknown>>,
  reject: (name: 'playerId' | 'playerExternalId', problem: string) => void,
): PlayerName | undefined {
  if (playerExternalId === undefined) {
    if (isRecordId(playerId)) return { playerId: playerId.toLowerCase() };
    reject('playerId', 'must be an ID of 24 hexadecimal digits');
    return undefined;
  }
  const problem = playerId === undefined ? externalIdProblem(playerExternalId) : 'must be omitted if playerId is sent';
  if (problem === undefined) return { playerExternalId: playerExternalId as string };
  reject('playerExternalId', problem);
  return undefined;
}

/** Returns the side that a row states, undefined if it states none, and null if it rejects it. */
function parseSide(
  { teamId, teamExternalId }: Readonly<Record<string, unknown>>,
  reject: (name: 'teamId' | 'teamExternalId', problem: string) => void,
): SideName | null | undefined {
  if (teamExternalId === undefined) {
    if (teamId === undefined) return undefined;
    if (typeof teamId === 'string') return { teamId: teamId.toLowerCase() };
    reject('teamId', 'must be a string');
    return null;
  }
  const problem = teamId === undefined ? externalIdProblem(teamExternalId) : 'must be omitted if teamId is sent';
  if (problem === undefined) return { teamExternalId: teamExternalId as string };
  reject('teamExternalId', problem);
  return null;
}
