import type { PlayerRow } from '../generated/types.gen.js';
import { parseCsv } from './csv.js';

/** A row of a CSV file as a row of a bulk request. */
export interface ImportedRow {
  line: number;
  row: PlayerRow;
}

const fields = ['externalId', 'name', 'email', 'position', 'jerseyNumber', 'profilePicture'] as const;
type Field = (typeof fields)[number];

/**
 * Reads players from CSV, whose header has the names of fields. Empty cells are left out.
 *
 * @throws Error if a column is unknown, missing or repeated, a record is longer than the header, or an ID is repeated.
 */
export function readPlayerRows(csv: string): ImportedRow[] {
  const [header, ...records] = parseCsv(csv);
  const columns = (header?.cells ?? []).map(toField);
  if (!columns.includes('externalId')) throw new Error('The file has no column "externalId".');
  if (new Set(columns).size < columns.length) throw new Error('The header repeats a column.');
  const lines = new Map<string, number>();
  return records.map(({ line, cells }) => {
    if (cells.length > columns.length)
      throw new Error(`Line ${line} has ${cells.length} cells, but the header has ${columns.length}.`);
    const row: PlayerRow = { externalId: '' };
    for (const [index, field] of columns.entries()) setField(row, field, cells[index] ?? '');
    // The API finds a repeated ID only within a request.
    const first = lines.get(row.externalId);
    if (first !== undefined) throw new Error(`Line ${line} repeats the externalId of line ${first}.`);
    if (row.externalId !== '') lines.set(row.externalId, line);
    return { line, row };
  });
}

/** Returns the field of a column. `Jersey number` and `jersey_number` name the field `jerseyNumber`. */
function toField(column: string): Field {
  const normalize = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  const field = fields.find((each) => normalize(each) === normalize(column));
  if (!field) throw new Error(`The column "${column}" is unknown. Known columns: ${fields.join(', ')}.`);
  return field;
}

function setField(row: PlayerRow, field: Field, cell: string): void {
  if (cell === '') return;
  if (field === 'position') row.position = cell.split(/[,;]/).map((position) => position.trim());
  else row[field] = cell;
}
