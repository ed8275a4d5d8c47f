import { ApiError, ConnectionError } from '../errors.js';
import type { MovingRowResponse } from '../generated/types.gen.js';
import { type Build, type BuildContext, type Built, buildRow } from './build.js';
import { type ColumnMap, type Columns, findColumns, type Kind } from './columns.js';
import { sendGames } from './import-schedules.js';
import { importStatistics } from './import-statistics.js';
import { collect, type ImportListener, type Operations, outcomeOf } from './outcome.js';
import { buildPlayer } from './players.js';
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

/** An import ended before its last row, after teams or rows were written. */
export class ImportStopped extends Error {}

/** Sends rows of a bulk request and returns their results. */
type Send<Row> = (rows: readonly Row[], dryRun: boolean) => Promise<readonly MovingRowResponse[]>;

/** Waits for a request, and remembers whether something may be written. */
type Write = <T>(request: Promise<T>, dryRun: boolean) => Promise<T>;

/** The number of rows of a bulk request. */
const batchSize = 100;

/**
 * Imports a file: reads it once to find its columns, teams and what concerns all rows, and again to send the rows, so
 * that its length does not matter.
 *
 * @param open returns the rows of the file from the first one
 * @throws Error if nothing was written; ImportStopped if teams or rows may have been
 */
export async function importFile(
  open: () => AsyncIterable<TableRow>,
  options: ImportOptions,
  api: Operations,
  listener: ImportListener,
): Promise<void> {
  const progress = { isSent: false };
  const write: Write = async (request, dryRun) => {
    try {
      const response = await request;
      progress.isSent ||= !dryRun;
      return response;
    } catch (error) {
      // Without the answer of the API, the rows may have been written.
      const isOpen = error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);
      progress.isSent ||= !dryRun && isOpen;
      throw error;
    }
  };
  try {
    await importRecords(open, options, api, listener, write);
  } catch (error) {
    throw progress.isSent ? new ImportStopped(describeError(error), { cause: error }) : error;
  }
}

async function importRecords(
  open: () => AsyncIterable<TableRow>,
  options: ImportOptions,
  api: Operations,
  listener: ImportListener,
  write: Write,
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
  const findTeam = (all: Teams) => (options.team === undefined ? undefined : all.require([options.team], ''));
  const team = findTeam(teams);
  async function* read() {
    for await (const row of open()) if (row.line > Math.max(columns.line, skipRows)) yield row;
  }

  if (kind === 'statistics') {
    const context = { columns, teams, team, isBlankZero: options.isBlankZero ?? false };
    await write(importStatistics(read(), context, options, api, listener), dryRun);
  } else if (kind === 'players') {
    await importRows(
      buildPlayer,
      async (players, dryRun) => {
        const rows = players.map(({ team, player }) => ({ ...player, ...(team?._id && { teamId: team._id }) }));
        return (await write(api.players.bulkUpsertAll({ body: { rows, dryRun } }), dryRun)).data;
      },
      (row) => row.team,
    );
  } else {
    await importRows(
      buildGame,
      (games, dryRun) => write(sendGames(games, dryRun, api), dryRun),
      (row) => row.owner,
    );
  }

  async function importRows<Row>(
    build: Build<Row, GameContext>,
    send: Send<Row>,
    teamOf: (row: Row) => Team | undefined,
  ) {
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
    if (missing.length > 0) await sendTeams(missing, dryRun, api, listener, write);
    const all = missing.length > 0 && !dryRun ? await readTeams() : teams;
    const second = { ...context, teams: all, team: findTeam(all), seen: new Map() };
    // A team without an ID is only created after a dry run.
    const hasTeam = (row: Row) => teamOf(row)?._id !== undefined;
    await sendRows(read(), (row) => buildRow(row, build, second), hasTeam, dryRun, send, listener);
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

/**
 * Sends the rows in bulk requests, and reports all in the order of the file. Those with faults are sent in a dry run, which
 * finds their other faults.
 */
async function sendRows<Row>(
  rows: AsyncIterable<TableRow>,
  build: (row: TableRow) => Built<Row>,
  hasTeam: (row: Row) => boolean,
  dryRun: boolean,
  send: Send<Row>,
  { onRow }: ImportListener,
): Promise<void> {
  let batch: Built<Row>[] = [];
  const flush = async () => {
    const results = new Map<Built<Row>, MovingRowResponse | undefined>();
    for (const hasFaults of [false, true]) {
      const isSendable = ({ value, source }: Built<Row>) =>
        value !== undefined && (hasFaults || hasTeam(value)) && source.faults.length > 0 === hasFaults;
      const sendable = batch.filter(isSendable);
      const values = sendable.map(({ value }) => value as Row);
      const responses = values.length === 0 ? [] : await send(values, dryRun || hasFaults).catch(stop);
      for (const [index, built] of sendable.entries()) results.set(built, responses[index]);
    }
    for (const built of batch) onRow(outcomeOf(built, results.get(built)));
    batch = [];
  };
  const stop = (error: unknown): never => {
    const line = batch[0]?.source.row.line ?? 0;
    const message = `Stopped at line ${line}. You can safely repeat the import. ${describeError(error)}`;
    throw new Error(message, { cause: error });
  };
  for await (const row of rows) if (batch.push(build(row)) === batchSize) await flush();
  await flush();
}

async function sendTeams(teams: Team[], dryRun: boolean, api: Operations, { onNote }: ImportListener, write: Write) {
  for (let start = 0; start < teams.length; start += batchSize) {
    const rows = teams.slice(start, start + batchSize).map((team) => ({ ...team, externalId: team.externalId ?? '' }));
    const { data } = await write(api.teams.bulkUpsert({ body: { rows, dryRun } }), dryRun);
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
