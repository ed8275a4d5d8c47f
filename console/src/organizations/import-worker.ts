import { clean } from '../../../clients/typescript/src/files/cells';
import { type Columns, fieldsOf, findColumns, reasonColumn } from '../../../clients/typescript/src/files/columns';
import { toTimeZone } from '../../../clients/typescript/src/files/dates';
import { describeError, importFile, type ImportOptions } from '../../../clients/typescript/src/files/import';
import type { Outcome } from '../../../clients/typescript/src/files/outcome';
import * as tables from '../../../clients/typescript/src/files/table';
import { createClient } from '../../../clients/typescript/src/index';
import { basePath } from '../api/base-path';

export type { ImportOptions, Outcome };

export interface ImportRequest {
  file: File;
  encoding: tables.Encoding;
  sheet: string;
  hasHeader: boolean;
  options: ImportOptions;
  /** Without it, the file is only shown. */
  target?: { organizationId: string; token: string };
}

/** The first rows of a file, with the field of each column as it was understood. */
export interface Preview {
  names: string[];
  fields: (string | undefined)[];
  choices: string[];
  rows: tables.TableRow[];
}

/** What happened to the rows so far. */
export interface ImportResult {
  counts: Partial<Record<Outcome['result'], number>>;
  notes: string[];
  /** The first rows of which something has to be said. */
  remarks: Outcome[];
  /** The rows that failed, as CSV with the reasons in the last column. */
  failed: string;
}

export interface ImportReply {
  preview?: Preview | undefined;
  result?: ImportResult;
  isEnd?: boolean;
  error?: string;
}

const pieceSize = 1_048_576;
/** A header can be in one of the first 25 rows, as for the command. */
const [headRows, shownRows, maxRemarks] = [25, 20, 100];

/** Names the options in messages of the command by their labels, such as “ID from” for `--id-from`. */
const inWords = (text: string) =>
  text.replace(/--([a-z])([a-z-]+)/g, (_, first: string, others: string) =>
    `“${first.toUpperCase()}${others.replaceAll('-', ' ')}”`.replace('Id ', 'ID '),
  );
const reply = (message: ImportReply) => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<ImportRequest>) => {
  run(data).catch((error: unknown) => reply({ error: inWords(describeError(error)) }));
});

async function run(request: ImportRequest): Promise<void> {
  const { options, target, hasHeader } = request;
  const open = await openFile(request);
  // Also before an import, which can end the worker that was to show the latest mapping.
  reply({ preview: await readPreview(open(), request) });
  if (!target) return;
  const zone = toTimeZone(options.zone ?? '');
  if (options.zone && !zone) throw new Error(`“Zone” ${options.zone} is unknown.`);
  const client = createClient({ baseUrl: location.origin + basePath, apiKey: target.token, fetch: fetchFor(target) });
  const { listener, end } = collectResult();
  // A map of numbers says that there is no header.
  const map = hasHeader ? options.map : { '1': null, ...options.map };
  await importFile(open, { ...options, map, zone }, client, listener).finally(end);
}

async function openFile({ file, encoding, sheet }: ImportRequest): Promise<() => AsyncGenerator<tables.TableRow>> {
  const library = /\.xlsx$/i.test(file.name) ? await import('read-excel-file/web-worker') : undefined;
  const cells = library && ((await library.readSheet(file, sheet || undefined)) as tables.SheetCell[][]);
  return async function* () {
    yield* cells ? tables.readSheet(cells) : tables.parseCsv(tables.decodeText(piecesOf(file), encoding));
  };
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += pieceSize)
    yield new Uint8Array(await file.slice(start, start + pieceSize).arrayBuffer());
}

async function readPreview(table: AsyncIterable<tables.TableRow>, request: ImportRequest): Promise<Preview> {
  const head: tables.TableRow[] = [];
  for await (const row of table) if (head.push(row) === headRows + shownRows) break;
  const { line, names, indexes } = columnsOf(head, request);
  const fields = names.map((_, index) => [...indexes].find(([, column]) => column === index)?.[0]);
  const rows = head.filter((row) => row.line > line).slice(0, shownRows);
  return { names, fields, choices: fieldsOf(request.options.kind), rows };
}

/** Without a known name, the first row is taken as the header, so that its columns can be mapped. */
function columnsOf(head: tables.TableRow[], { options: { kind, map = {} }, hasHeader }: ImportRequest): Columns {
  const [first] = head;
  if (!first) throw new Error('The file is empty.');
  const names = first.cells.map((cell, index) => (hasHeader ? clean(cell) : String(index + 1)));
  const unknown: Columns = { line: hasHeader ? first.line : 0, names, indexes: new Map(), ignored: [] };
  try {
    return hasHeader || Object.keys(map).length > 0 ? findColumns(kind, head.slice(0, headRows), map) : unknown;
  } catch {
    return unknown;
  }
}

/** Sends the client's requests to the routes of super admins, which do the same. */
function fetchFor({ organizationId }: { organizationId: string }): typeof fetch {
  return (url, init) => {
    const path = (url as string).replace(/^.*\/v1\/public-api/, '');
    // Statistics are written by a route of all admins.
    return self.fetch(basePath + (init?.method === 'PUT' ? path : `/organizations/${organizationId}${path}`), init);
  };
}

function collectResult() {
  const result: ImportResult = { counts: {}, notes: [], remarks: [], failed: '' };
  let isImported: (cell: string, index: number) => boolean = () => true;
  let rows = 0;
  const addFailed = (cells: string[], reason: string) => {
    result.failed += tables.formatCsv([...cells.filter(isImported), reason]);
  };
  const listener = {
    onColumns({ names, line }: Columns) {
      isImported = (_cell, index) => names[index] !== reasonColumn;
      if (line > 0) addFailed(names, reasonColumn);
    },
    onNote: (note: string) => void result.notes.push(note),
    onRow(outcome: Outcome) {
      const messages = outcome.messages.map(inWords);
      result.counts[outcome.result] = (result.counts[outcome.result] ?? 0) + 1;
      if (messages.length > 0 && result.remarks.length < maxRemarks) result.remarks.push({ ...outcome, messages });
      if (outcome.isLeft) addFailed(outcome.row.cells, messages.join('; '));
      if (++rows % 100 === 0) reply({ result: { ...result, failed: '' } });
    },
  };
  return { listener, end: () => reply({ result, isEnd: true }) };
}
