import { createReadStream } from 'node:fs';
import path from 'node:path';
import { readSheet as readWorkbook } from 'read-excel-file/node';
import { importFile, type ImportOptions } from '../../clients/typescript/src/files/import.js';
import type { Outcome } from '../../clients/typescript/src/files/outcome.js';
import {
  decodeText,
  type Encoding,
  parseCsv,
  readSheet,
  type SheetCell,
  type TableRow,
} from '../../clients/typescript/src/files/table.js';
import { createClient } from '../../clients/typescript/src/index.js';
import type { TestOrganization } from './organization.js';

const folder = path.resolve(__dirname, '../../clients/typescript/test/files');

/** What a test says about an import: the file, or its text, and the options. */
export interface TestImport extends Omit<ImportOptions, 'kind'> {
  file?: string;
  text?: string;
  kind?: ImportOptions['kind'];
  encoding?: Encoding;
  sheet?: string;
  /** Gets a line for each row, also if the import fails. */
  lines?: string[];
}

/** An import with a client of an organization: what it said, and what happened to the rows. */
export interface ImportRun {
  notes: string[];
  outcomes: Outcome[];
  /** `2 created: a warning`, one for each row. */
  results: string[];
}

/** Returns the pieces of a text, of one or more bytes each. */
export async function* piecesOf(bytes: Uint8Array, length = 7): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length)
    yield await Promise.resolve(bytes.subarray(start, start + length));
}

/** Imports a file of the folder of files, or a text, in the way of the command. */
export async function runImport(organization: TestOrganization, test: TestImport): Promise<ImportRun> {
  const { file = '', text, encoding, sheet, lines = [], kind = 'players', ...options } = test;
  const name = path.join(folder, file);
  const workbook = file.endsWith('.xlsx') ? ((await readWorkbook(name, sheet)) as SheetCell[][]) : undefined;
  const bytes = () => (text === undefined ? createReadStream(name) : piecesOf(Buffer.from(text)));
  async function* open(): AsyncGenerator<TableRow> {
    yield* workbook ? readSheet(workbook) : parseCsv(decodeText(bytes(), encoding));
  }
  const client = createClient({ baseUrl: organization.server.url, apiKey: organization.key.apiKey });
  const run: ImportRun = { notes: [], outcomes: [], results: [] };
  await importFile(open, { kind, ...options }, client, {
    onColumns: () => undefined,
    onNote: (note) => run.notes.push(note),
    onRow: (outcome) => {
      run.outcomes.push(outcome);
      lines.push(`${outcome.row.line} ${outcome.label}: ${[outcome.result, ...outcome.messages].join(': ')}`);
      run.results.push(`${outcome.row.line} ${[outcome.result, ...outcome.messages].join(': ')}`);
    },
  });
  return run;
}
