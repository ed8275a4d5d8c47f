/** A row of a table: the line on which it begins, and its cells as they stand in the file. */
export interface TableRow {
  line: number;
  cells: string[];
}

export const encodings = ['utf-8', 'windows-1252', 'utf-16'] as const;
export type Encoding = (typeof encodings)[number];

/**
 * Decodes a file piece by piece: by the byte order mark if it begins with one, otherwise as named, or as UTF-8.
 *
 * @throws Error if the file has another encoding, or is a workbook.
 */
export async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const piece of pieces) {
      decoder ??= new TextDecoder(encodingOf(piece, encoding), { fatal: true });
      yield withoutControls(decoder.decode(piece, { stream: true }));
    }
    yield withoutControls(decoder?.decode() ?? '');
  } catch (error) {
    if ((error as Error).name !== 'TypeError') throw error;
    throw new Error(
      `The file is not encoded as ${encoding}. In Excel, save it as "CSV UTF-8", or add --encoding windows-1252.`,
      { cause: error },
    );
  }
}

function encodingOf([first, second, third]: Uint8Array, encoding: Encoding): string {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0x50 && second === 0x4b) throw new Error('The file is a workbook: its name must end with .xlsx.');
  return encoding === 'utf-16' ? 'utf-16le' : encoding;
}

/** Removes control characters, which could give commands to a terminal. */
function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\r\n]/gu, '');
}

const separators = [',', ';', '\t', '|'];
/** More text than this without the end of a row means that a quote is not closed, or that this is no table. */
const maxRowLength = 100_000;
/** Longer than any field; some patterns that read cells need a time that grows with the square of their length. */
const maxCellLength = 10_000;

function assertLengths(line: number, cells: readonly string[]): void {
  if (cells.some((cell) => cell.length > maxCellLength))
    throw new SyntaxError(`Line ${line}: a cell has more than ${maxCellLength} characters.`);
}

/**
 * Parses CSV (RFC 4180) piece by piece, so that a file of any length needs little memory. Skips empty rows. The cells
 * are separated by commas, semicolons, tabs or bars: by what most of the first rows have equally often.
 *
 * @throws SyntaxError if a quote is not closed, text follows it, or a cell or row is too long.
 */
export async function* parseCsv(pieces: AsyncIterable<string>): AsyncGenerator<TableRow> {
  let text = '';
  let separator: string | undefined;
  let line = 1;
  function* readRows(isEnd: boolean): Generator<TableRow> {
    separator ??= findSeparator(text);
    const unquoted = `((?!")[^${separator}\\r\\n]*)`;
    const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|${unquoted})([${separator}]|\\r?\\n|\\r|$)`, 'y');
    let row: TableRow = { line, cells: [] };
    let end = 0;
    while (cell.lastIndex < text.length || (isEnd && row.cells.length > 0)) {
      const match = cell.exec(text);
      if (match ? cell.lastIndex - end > maxRowLength : isEnd || text.length - end > maxRowLength)
        throw new SyntaxError(`Line ${line}: a quote is not closed, text follows it, or the row is too long.`);
      // The rest follows in the next piece, such as the \n after a \r.
      if (!match || (!isEnd && cell.lastIndex === text.length)) break;
      row.cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
      line += match[0].match(/\r\n?|\n/g)?.length ?? 0;
      if (match[3] === separator) continue;
      assertLengths(row.line, row.cells);
      if (row.cells.some((value) => value.trim() !== '')) yield row;
      row = { line, cells: [] };
      end = cell.lastIndex;
    }
    line = row.line;
    text = text.slice(end);
  }
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= 65_536) yield* readRows(false);
  }
  yield* readRows(true);
}

function findSeparator(text: string): string {
  const stated = /^\uFEFF?sep=(.)\r?\n/i.exec(text)?.[1];
  if (stated !== undefined && separators.includes(stated)) return stated;
  const lines = text
    .slice(0, 65_536)
    .replace(/"[^"]*"/g, '')
    .split(/\r\n?|\n/, 20);
  let best = { separator: ',', lines: 0, cells: 0 };
  for (const separator of separators) {
    const counts = lines.map((line) => line.split(separator).length - 1).filter((count) => count > 0);
    for (const cells of counts) {
      const equal = counts.filter((count) => count === cells).length;
      if (equal > best.lines || (equal === best.lines && cells > best.cells)) best = { separator, lines: equal, cells };
    }
  }
  return best.separator;
}

/** A cell of a workbook, as `read-excel-file` returns it. */
export type SheetCell = string | number | boolean | Date | null;

/**
 * Returns the rows of a sheet as those of a CSV file. Dates are texts such as `2026-09-06 18:30`. A text that would be a
 * formula in CSV begins with an apostrophe, which `clean` removes.
 *
 * @throws SyntaxError if a cell is too long.
 */
export function* readSheet(rows: readonly (readonly SheetCell[])[]): Generator<TableRow> {
  for (const [index, row] of rows.entries()) {
    const cells = row.map((cell) => {
      if (typeof cell === 'string') return withoutControls(cell).replace(/^[=+\-@\t\r]/, "'$&");
      return cell instanceof Date ? formatDate(cell) : String(cell ?? '');
    });
    assertLengths(index + 1, cells);
    if (cells.some((cell) => cell.trim() !== '')) yield { line: index + 1, cells };
  }
}

/** A workbook has local dates, which the library returns as if they were UTC. A time alone is on the day 0 of 1900. */
function formatDate(date: Date): string {
  const rounded = new Date(Math.round(date.getTime() / 1_000) * 1_000).toISOString();
  const [day, time] = [rounded.slice(0, 10), rounded.slice(11, 16)];
  if (day < '1900-01-02') return time;
  return time === '00:00' ? day : `${day} ${time}`;
}

/** Formats a row as CSV. */
export function formatCsv(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\t|\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}
