import type { Api } from '../generated/sdk.gen.js';
import type { MovingRowResponse } from '../generated/types.gen.js';
import type { Built } from './build.js';
import type { Columns } from './columns.js';
import type { TableRow } from './table.js';

/** The operations that an import calls: those of a client, which can have its own `fetch`. */
export type Operations = Pick<Api, 'players' | 'playerStatistics' | 'schedules' | 'seasons' | 'teams'>;

export type Result = MovingRowResponse['result'] | 'skipped';

/** What happened to a row, and why, or what should be known about it. */
export interface Outcome {
  row: TableRow;
  label: string;
  result: Result;
  messages: string[];
}

/** Is told about an import while it runs. */
export interface ImportListener {
  onColumns: (columns: Columns) => void;
  onNote: (text: string) => void;
  onRow: (outcome: Outcome) => void;
}

/** Returns what to say about a row after it was sent, or was not: then `result` is undefined. */
export function outcomeOf<Row>({ source, skipped }: Built<Row>, result?: MovingRowResponse): Outcome {
  const outcome = { row: source.row, label: source.label || 'no ID' };
  const { faults, warnings } = source;
  if (faults.length > 0) return { ...outcome, result: 'failed', messages: faults };
  if (skipped !== undefined) return { ...outcome, result: 'skipped', messages: [skipped] };
  if (!result)
    return { ...outcome, result: 'skipped', messages: ['a dry run creates no teams, so it cannot check their rows'] };
  if (result.result !== 'failed') {
    const others = 'warnings' in result ? (result.warnings ?? []) : [];
    return { ...outcome, result: result.result, messages: [...warnings, ...others.map(({ message }) => message)] };
  }
  const { details = [], message, error } = result.error;
  const problems = details.map(({ field, message }) => `${source.quote(columnOf[field] ?? field)}: ${message}`);
  return { ...outcome, result: 'failed', messages: [`${problems.join('; ') || message} (${error})`] };
}

/** The columns in which people look for a field of the API. */
const columnOf: Readonly<Record<string, string>> = {
  startDate: 'date',
  endDate: 'end',
  teamOneScore: 'homeScore',
  teamTwoScore: 'awayScore',
  locationName: 'location',
  teamTwoName: 'away',
};

/** Returns all rows of a list. */
export async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of list) all.push(each);
  return all;
}
