import type { Api } from '../generated/sdk.gen.js';
import type { MovingRowResponse, RowError } from '../generated/types.gen.js';
import type { Built, SourceRow } from './build.js';
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
  /** Whether the row is to be sent again: it failed, or was not sent because another one is wrong. */
  isLeft: boolean;
}

/** Is told about an import while it runs. */
export interface ImportListener {
  onColumns: (columns: Columns) => void;
  onNote: (text: string) => void;
  onRow: (outcome: Outcome) => void;
}

/**
 * Returns what to say about a row after it was sent, or was not: then `result` is undefined. A row with faults has the
 * result of a dry run, which finds others.
 */
export function outcomeOf<Row>({ source, value, skipped }: Built<Row>, result?: MovingRowResponse): Outcome {
  const outcome = { row: source.row, label: source.label || 'no ID', isLeft: false };
  const { faults, warnings } = source;
  const problems = [...faults, ...(result?.result === 'failed' ? problemsOf(source, result.error) : [])];
  if (problems.length > 0) return { ...outcome, result: 'failed', messages: [...problems, ...warnings], isLeft: true };
  if (skipped !== undefined) return { ...outcome, result: 'skipped', messages: [skipped], isLeft: value !== undefined };
  if (!result)
    return { ...outcome, result: 'skipped', messages: ['a dry run creates no teams, so it cannot check their rows'] };
  const others = 'warnings' in result ? (result.warnings ?? []) : [];
  return { ...outcome, result: result.result, messages: [...warnings, ...others.map(({ message }) => message)] };
}

/** Returns the problems that the server has found, and a missing name, which it only looks for in a row without others. */
function problemsOf(source: SourceRow, { details = [], message, error }: RowError): string[] {
  const others = error === 40001 ? source.lacking.filter((name) => !details.some(({ field }) => field === name)) : [];
  const problems = [
    ...details
      // The faults say why a row has no team.
      .filter(({ field }) => field !== 'teamId' || source.faults.length === 0)
      .map(({ field, message }) => `${source.quote(columnOf[field] ?? field)}: ${message}`),
    ...others.map((field) => `${source.quote(field)}: a new record needs it`),
  ];
  if (problems.length === 0 && details.length > 0) return [];
  return [`${problems.join('; ') || message} (${error})`];
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
