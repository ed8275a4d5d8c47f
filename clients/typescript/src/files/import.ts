import { ApiError } from '../errors.js';
import type { MovingRowResponse } from '../generated/types.gen.js';
import { type Build, type BuildContext, type Built, buildRow } from './build.js';
import { type ColumnMap, type Columns, findColumns, type Kind } from './columns.js';
import { sendGames } from './import-schedules.js';
import { importStatistics } from './import-statistics.js';
import { collect, type ImportListener, type Operations, outcomeOf } from './outcome.js';
import { buildPlayer, type BuiltPlayer } from './players.js';
import { buildGame, type GameContext, noTime } from './schedules.js';
import type { TableRow } from './table.js';
import { type Team, Teams } from './teams.js';

/** How to read a file. `team`, `season` and `schedule` are IDs or external IDs. */
export interface ImportOptions extends Pick<BuildContext, 'idFrom' | 'zone' | 'dates'> {
  kind: Kind;
  dryRun?: boolean;
  map?: ColumnMap | undefined;
  skipRows?: number;
  team?: string | undefined;
  season?: string | undefined;
  createTeams?: boolean;
  schedule?: string | undefined;
  isBlankZero?: boolean;
}

/** An import ended before its last row, after rows were sent. */
export class ImportStopped extends Error {}

/** Sends rows of a bulk request and returns their results. */
type Send<Row> = (rows: readonly Row[]) => Promise<readonly MovingRowResponse[]>;

/** The number of rows of a bulk request. */
const batchSize = 100;

/**
 * Imports a file: reads it once to find its columns, teams and what concerns all rows, and again to send the rows, so
 * that its length does not matter.
 *
 * @param open returns the rows of the file from the first one
 * @throws Error if nothing was sent; ImportStopped if rows were
 */
export async function importFile(
  open: () => AsyncIterable<TableRow>,
  options: ImportOptions,
  api: Operations,
  listener: ImportListener,
): Promise<void> {
  const { kind, idFrom, zone, dates, dryRun = false, createTeams = false, skipRows = 0 } = options;
  const head: TableRow[] = [];
  for await (const row of open()) if (row.line > skipRows && head.push(row) === 25) break;
  const columns = findColumns(kind, head, options.map);
  listener.onColumns(columns);
  assertColumns(columns, options);
  const season = options.season === undefined ? undefined : await findSeason(options.season, api);
  if (createTeams && !season) throw new Error('--create-teams needs --season.');
  const seasonKey = createTeams ? (season?.externalId ?? season?._id) : undefined;
  const readTeams = async () => new Teams(await collect(api.teams.list()), season?._id, seasonKey);
  const teams = await readTeams();
  const team = options.team === undefined ? undefined : teams.require([options.team], '');
  async function* read() {
    for await (const row of open()) if (row.line > Math.max(columns.line, skipRows)) yield row;
  }

  if (kind === 'statistics') {
    const context = { columns, teams, team, isBlankZero: options.isBlankZero ?? false };
    await importStatistics(read(), context, options, api, listener);
  } else if (kind === 'players') {
    await importRows(
      buildPlayer,
      (rows) => sendPlayers(rows, dryRun, api),
      (row) => row.team,
    );
  } else {
    await importRows(
      buildGame,
      (rows) => sendGames(rows, dryRun, api),
      (row) => row.owner,
    );
  }

  async function importRows<Row>(build: Build<Row, GameContext>, send: Send<Row>, teamOf: (row: Row) => Team) {
    const context = { columns, teams, team, idFrom, zone, dates, inSeveralTeams: new Set<string>(), starts: new Map() };
    const first = { ...context, seen: new Map() };
    let count = 0;
    const reasons = new Set<string | undefined>();
    for await (const row of read()) {
      reasons.add(buildRow(row, build, first).skipped);
      count++;
    }
    first.seen.clear();
    if (reasons.has(noTime) && !reasons.has(undefined))
      throw new Error('No row has a time. Name the columns of date and time with --map.');
    if (count === 0) throw new Error('The file has no rows below its header.');
    const missing = [...teams.missing.values()];
    if (missing.length > 0) await sendTeams(missing, dryRun, api, listener);
    const second = { ...context, teams: missing.length > 0 && !dryRun ? await readTeams() : teams, seen: new Map() };
    // A team without an ID is only created after a dry run.
    const isSendable = ({ value, source }: Built<Row>) =>
      value !== undefined && source.faults.length === 0 && teamOf(value)._id !== undefined;
    await sendRows(read(), (row) => buildRow(row, build, second), isSendable, send, listener);
  }
}

/** @throws Error if the file has no column for something without which no row can be sent. */
function assertColumns({ indexes, names }: Columns, { kind, idFrom, team }: ImportOptions): void {
  const has = (...fields: string[]) => fields.some((field) => indexes.has(field));
  const missing =
    kind === 'players' && !idFrom && !has('externalId')
      ? 'the external ID: name those that tell players apart, such as --id-from "First Name,Last Name,Birthdate"'
      : kind === 'players' && team === undefined && !has('team', 'teamExternalId')
        ? 'the team: add --team'
        : kind === 'schedules' && !has('date')
          ? 'the date'
          : undefined;
  if (missing !== undefined)
    throw new Error(`The file has no column for ${missing}. Its columns: ${names.join(', ')}.`);
}

/** Sends the rows in bulk requests, and reports all in the order of the file. */
async function sendRows<Row>(
  rows: AsyncIterable<TableRow>,
  build: (row: TableRow) => Built<Row>,
  isSendable: (built: Built<Row>) => boolean,
  send: Send<Row>,
  { onRow }: ImportListener,
): Promise<void> {
  let batch: Built<Row>[] = [];
  let sent = 0;
  const flush = async () => {
    const sendable = batch.filter(isSendable);
    const values = sendable.map(({ value }) => value as Row);
    const results = sendable.length === 0 ? [] : await send(values).catch(stop);
    sent += sendable.length;
    for (const built of batch) onRow(outcomeOf(built, results[sendable.indexOf(built)]));
    batch = [];
  };
  const stop = (error: unknown): never => {
    const { line } = batch[0]?.source.row ?? { line: 0 };
    const message = `Stopped at line ${line}. You can safely repeat the import. ${describeError(error)}`;
    throw sent > 0 ? new ImportStopped(message) : new Error(message);
  };
  for await (const row of rows) if (batch.push(build(row)) === batchSize) await flush();
  await flush();
}

async function sendPlayers(players: readonly BuiltPlayer[], dryRun: boolean, api: Operations) {
  const rows = players.map(({ team, player }) => ({ ...player, ...(team._id && { teamId: team._id }) }));
  return (await api.players.bulkUpsertAll({ body: { rows, dryRun } })).data;
}

async function sendTeams(teams: Team[], dryRun: boolean, api: Operations, { onNote }: ImportListener) {
  for (let start = 0; start < teams.length; start += batchSize) {
    const rows = teams.slice(start, start + batchSize).map((team) => ({ ...team, externalId: team.externalId ?? '' }));
    const { data } = await api.teams.bulkUpsert({ body: { rows, dryRun } });
    for (const each of data) {
      const team = `The team "${rows[each.index]?.name ?? ''}" (${each.externalId ?? ''})`;
      if (each.result === 'failed') throw new Error(`${team} cannot be created: ${each.error.message}.`);
      onNote(`${team} ${dryRun ? 'would be' : 'is'} ${each.result}.`);
    }
  }
}

async function findSeason(text: string, api: Operations) {
  for await (const season of api.seasons.list()) if (season._id === text || season.externalId === text) return season;
  throw new Error(`There is no season with the ID or external ID "${text}".`);
}

/** Describes an error for people. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} (${error.code ?? error.status}, trace ${error.traceId})`;
  return error instanceof Error ? error.message : String(error);
}
