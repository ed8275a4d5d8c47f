#!/usr/bin/env node
import { appendFileSync, createReadStream, realpathSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type ColumnMap, describeColumns, kinds, reasonColumn } from '../files/columns.js';
import { copyOrganization } from '../files/copy.js';
import { dateOrders, toTimeZone } from '../files/dates.js';
import { describeError, importFile, type ImportOptions, ImportStopped } from '../files/import.js';
import type { ImportListener, Result } from '../files/outcome.js';
import {
  decodeText,
  encodings,
  formatCsv,
  parseCsv,
  readSheet,
  type SheetCell,
  type TableRow,
} from '../files/table.js';
import { type Api, createClient, type Retry } from '../index.js';

const usage = `Usage: flag-football import players|schedules|statistics FILE [options]
       flag-football copy

FILE is CSV, or a workbook that ends with .xlsx. Set the variables API to the URL of the server, and API_KEY to your API key.

  --dry-run              validates without writing
  --map FILE             JSON: the field of each column, such as {"Mitgliedsnr.": "externalId", "Notes": null};
                         columns of a file without a header are named "1", "2", …
  --team ID              the ID or external ID of the team of all rows
  --season ID            the ID or external ID of the season whose teams are meant
  --create-teams         creates the teams that do not exist, in the season
  --id-from COLUMNS      players and games without an ID get one from these columns: "Last,First,Birthdate"
  --schedule ID          the ID or external ID of the game of the statistics
  --zero-blanks          blank cells of statistics are 0, not "not tracked"
  --zone ZONE            the time zone of the times, such as America/New_York
  --dates mdy|dmy|ymd    the order of dates such as 9/6/2026
  --encoding ENCODING    windows-1252 or utf-16; otherwise UTF-8
  --skip-rows N          ignores the first N lines
  --sheet NAME           the sheet of a workbook, otherwise the first one
  --failed FILE          writes the rows that failed, with their problems, to be corrected and sent again
  --help                 shows this text

It exits with 0 if all rows were applied or skipped, 1 if some failed or it stopped, and 2 if nothing was written.

copy adds the records of the organization to that of TO_API_KEY, at the URL TO_API (default: API). Its statistics
need all players. It lists what differs in the end, and exits with 1 if anything does. Repeat it to send what has changed.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  ...{ map: text, team: text, season: text, 'id-from': text, schedule: text, zone: text, dates: text, encoding: text },
  ...{ 'skip-rows': text, sheet: text, failed: text },
  ...{ 'dry-run': flag, 'create-teams': flag, 'zero-blanks': flag, help: flag },
};

try {
  await main();
} catch (error) {
  process.exitCode = error instanceof ImportStopped ? 1 : 2;
  console.error(describeError(error));
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    console.log(usage);
    return;
  }
  const [command, kind, file, ...others] = positionals;
  if (command === 'copy' && kind === undefined) return copy();
  if (command !== 'import' || file === undefined || others.length > 0) throw new Error(usage);
  const encoding = choice('encoding', values.encoding, encodings);
  const importOptions: ImportOptions = {
    kind: choice('kind', kind, kinds) ?? 'players',
    dates: choice('dates', values.dates, dateOrders),
    zone: values.zone === undefined ? undefined : toTimeZone(values.zone),
    map: values.map === undefined ? undefined : (JSON.parse(await readFile(values.map, 'utf8')) as ColumnMap),
    skipRows: Number(values['skip-rows'] ?? 0),
    idFrom: values['id-from']?.split(','),
    dryRun: values['dry-run'],
    createTeams: values['create-teams'],
    isBlankZero: values['zero-blanks'],
    team: values.team,
    season: values.season,
    schedule: values.schedule,
  };
  if (Number.isNaN(importOptions.skipRows)) throw new Error('--skip-rows must be a number.');
  if (values.zone !== undefined && importOptions.zone === undefined)
    throw new Error(`--zone ${values.zone} is unknown.`);
  const client = connect('API', 'API_KEY');
  const sheet = /\.xlsx$/i.test(file) ? await readWorkbook(file, values.sheet) : undefined;
  const open = () => toAsync(sheet ? readSheet(sheet) : parseCsv(decodeText(createReadStream(file), encoding)));
  // Creates the file of failed rows, so that it is known before anything is sent whether it can be written.
  if (values.failed !== undefined) appendFileSync(values.failed, '');
  if (values.failed !== undefined && realpathSync(values.failed) === realpathSync(file))
    throw new Error('--failed is the imported file itself: name another one.');
  const report = createReport(values.failed);
  await importFile(open, importOptions, client, report);
  report.end(values['dry-run']);
}

/** Copies an organization into another one. */
async function copy(): Promise<void> {
  const to = connect(process.env['TO_API'] ? 'TO_API' : 'API', 'TO_API_KEY');
  const differences = await copyOrganization(connect('API', 'API_KEY'), to, console.log);
  for (const difference of differences) console.log(difference);
  console.log(differences.length === 0 ? 'Nothing differs.' : `${differences.length} differences`);
  if (differences.length > 0) process.exitCode = 1;
}

/** Returns a client with the URL and the key of two environment variables. */
function connect(url: string, key: string): Api {
  const { [url]: baseUrl = '', [key]: apiKey = '' } = process.env;
  if (baseUrl === '' || apiKey === '') throw new Error(`Set the environment variables ${url} and ${key}.`);
  const onRetry = ({ error }: Retry) => console.error(`Retrying: ${describeError(error)}`);
  return createClient({ baseUrl, apiKey, onRetry });
}

function choice<T extends string>(name: string, value: string | undefined, choices: readonly T[]): T | undefined {
  const found = choices.find((each) => each === value);
  if (value === undefined || found) return found;
  throw new Error(`"${value}" is no ${name}: use ${choices.join(', ')}.`);
}

async function* toAsync(rows: Iterable<TableRow> | AsyncIterable<TableRow>): AsyncGenerator<TableRow> {
  yield* rows;
}

/** Reads a workbook with a library that only those who need it install. */
async function readWorkbook(file: string, sheet: string | undefined): Promise<SheetCell[][]> {
  const library = await import('read-excel-file/node').catch(() => {
    throw new Error('To read workbooks, install the library: npm install read-excel-file@9');
  });
  return (await library.readSheet(file, sheet)) as SheetCell[][];
}

/** Prints what happens, and writes the rows that failed over those of an earlier import, which stay if nothing is sent. */
function createReport(failedFile: string | undefined): ImportListener & { end: (isDryRun: boolean) => void } {
  const counts = new Map<Result, number>();
  let rows = 0;
  let isImported: (cell: string, index: number) => boolean = () => true;
  const formatFailed = (cells: string[], reason: string) => formatCsv([...cells.filter(isImported), reason]);
  let head = '';
  const writeFailed = (text: string) => {
    if (failedFile === undefined) return;
    if (head !== '') writeFileSync(failedFile, head);
    head = '';
    appendFileSync(failedFile, text);
  };
  return {
    onColumns(columns) {
      for (const sentence of describeColumns(columns)) console.log(sentence);
      // A file of failed rows that is sent again gets new problems.
      isImported = (_, index) => columns.names[index] !== reasonColumn;
      head = `\uFEFF${columns.line > 0 ? formatFailed(columns.names, reasonColumn) : ''}`;
    },
    onNote: (note) => console.log(note),
    onRow({ row, label, result, messages, isLeft }) {
      console.log(`Line ${row.line}, ${label}: ${[result, ...messages].join(': ')}`);
      counts.set(result, (counts.get(result) ?? 0) + 1);
      if (isLeft) writeFailed(formatFailed(row.cells, messages.join('; ')));
      if (++rows % 1_000 === 0) console.error(`${rows} rows …`);
    },
    end(isDryRun) {
      writeFailed('');
      const summary = [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
      console.log(`${rows} rows: ${summary}${isDryRun ? ' (dry run, nothing was written)' : ''}`);
      if (counts.has('failed')) process.exitCode = 1;
    },
  };
}
