import { clean, FileError, isPlaceholder, isSheetError, SkippedRow, toExternalId } from './cells.js';
import { type Columns, simplify } from './columns.js';
import type { DateOrder } from './dates.js';
import { dateKey, hashExternalId } from './keys.js';
import type { TableRow } from './table.js';
import type { Team, Teams } from './teams.js';

/** What the functions that build rows need beside the row. */
export interface BuildContext {
  columns: Columns;
  teams: Teams;
  /** The team of all rows, of `--team`. */
  team?: Team | undefined;
  /** The names of the columns whose cells together are the external ID of a row without one. */
  idFrom?: readonly string[] | undefined;
  zone?: string | undefined;
  dates?: DateOrder | undefined;
  /** The lines of the IDs so far, with the team of a player, or the teams and start of a game. */
  seen: Map<string, { line: number; what: string }>;
  /** The IDs of players whom the file has in several teams, complete after it was read once. */
  inSeveralTeams: Set<string>;
}

/** `Totals`, `Total players: 12`, but not a team such as `Total Domination`. */
const totals = /^(team |grand |sub ?)?totals?( (players|athletes|members|teams|games))?\P{L}*(:.*)?$/iu;

/** A row of a file, whose cells are read by field, with its problems so far. */
export class SourceRow {
  readonly faults: string[] = [];
  readonly warnings: string[] = [];
  /** The fields that a new record needs, but this row does not have. */
  readonly lacking: string[] = [];
  /** The ID as it stands in the file, and as the API accepts it; both are empty if there is none. */
  readonly id: string;
  readonly externalId: string;
  /** What the row is called in messages. */
  label: string;

  constructor(
    readonly row: TableRow,
    private readonly columns: Columns,
    { idFrom = [], dates }: Pick<BuildContext, 'idFrom' | 'dates'>,
  ) {
    const cells = idFrom.map((name) => clean(row.cells[indexOf(columns, name)]));
    const parts = cells.map((cell) => (isPlaceholder(cell) ? '' : (dateKey(cell, dates) ?? cell)));
    // Dates of birth are not printed.
    const names = parts.filter((part, index) => part !== '' && part === cells[index]);
    const [own] = this.all('externalId');
    this.id = own ?? (names.length > 0 ? names.join(' ') : parts.join(''));
    this.externalId = own === undefined && this.id !== '' ? hashExternalId(parts) : toExternalId(this.id);
    this.label = this.id;
  }

  /** Returns the text of a field, an empty one if the file has no such column, or an error of the spreadsheet. */
  get(field: string): string {
    const text = this.cell(field);
    return isSheetError(text) ? '' : text;
  }

  private cell(field: string): string {
    return clean(this.row.cells[this.columns.indexes.get(field) ?? -1]);
  }

  /** Returns the texts of the fields that have one. */
  all(...fields: string[]): string[] {
    return fields.map((field) => this.get(field)).filter((text) => text !== '' && !isPlaceholder(text));
  }

  /** Returns the text of a field, or undefined with a warning if it is something like `N/A`. */
  optional(field: string): string | undefined {
    const [text] = this.all(field);
    if (text === undefined && this.get(field) !== '') this.warnings.push(`${this.quote(field)} is taken as empty`);
    return text;
  }

  /** Returns the name of the column and the cell of a field as they stand in the file. */
  quote(field: string): string {
    const index = this.columns.indexes.get(field);
    return index === undefined ? field : `${this.columns.names[index] ?? ''} "${this.cell(field)}"`;
  }

  /** Returns the result of a function, or adds its error to the faults, so that others are found, too. */
  attempt<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (error instanceof FileError || error instanceof SkippedRow) throw error;
      this.faults.push((error as Error).message);
      return undefined;
    }
  }

  /** Adds the fault of a separator without quotes, and a warning of each error of the spreadsheet. @throws SkippedRow if the row only decorates the sheet. */
  checkCells(): void {
    const { names, indexes } = this.columns;
    const cells = this.row.cells.map(clean);
    const filled = cells.filter((cell) => cell !== '');
    if (totals.test(filled[0] ?? '')) throw new SkippedRow('totals');
    if (filled.length < 2 && this.id === '') throw new SkippedRow(`a line with one cell, "${filled.join('')}"`);
    if (cells.every((cell, index) => cell === (names[index] ?? ''))) throw new SkippedRow('the header again');
    if (cells.slice(names.length).some((cell) => cell !== ''))
      this.faults.push(`it has ${cells.length} cells, but the header has ${names.length}`);
    for (const field of indexes.keys())
      if (isSheetError(this.cell(field))) this.warnings.push(`${this.quote(field)} is taken as empty`);
  }
}

function indexOf({ names }: Columns, name: string): number {
  const index = names.findIndex((each) => simplify(each) === simplify(name));
  if (index < 0) throw new Error(`The file has no column "${name}". Its columns: ${names.join(', ')}.`);
  return index;
}

/** Builds a row to send; throws an error for a fault, or `SkippedRow`. */
export type Build<Row, Context> = (source: SourceRow, context: Context) => Row | undefined;

/** What became of a row of a file. It is sent if it has a value and no faults. */
export interface Built<Row> {
  source: SourceRow;
  value?: Row | undefined;
  skipped?: string;
}

/** Builds a row. @throws Error if it has a problem of the whole file. */
export function buildRow<Row, Context extends Pick<BuildContext, 'columns' | 'idFrom' | 'dates'>>(
  row: TableRow,
  build: Build<Row, Context>,
  context: Context,
): Built<Row> {
  const source = new SourceRow(row, context.columns, context);
  try {
    const value = source.attempt(() => {
      source.checkCells();
      return build(source, context);
    });
    return { source, value };
  } catch (error) {
    if (error instanceof SkippedRow) return { source, skipped: error.message };
    throw new Error(`Line ${row.line}: ${(error as Error).message}`, { cause: error });
  }
}
