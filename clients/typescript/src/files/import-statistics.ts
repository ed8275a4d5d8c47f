import { ApiError } from '../errors.js';
import type { MovingRowResponse, PlayerStatisticsRow, SentStatisticsRow } from '../generated/types.gen.js';
import { type Built, buildRow } from './build.js';
import { collect, type ImportListener, type Operations, outcomeOf } from './outcome.js';
import { buildStatistics, type StatisticsContext } from './statistics.js';
import type { TableRow } from './table.js';

/**
 * Writes the statistics of a game. A row of the file replaces that of the same player and category, all others stay.
 *
 * @throws Error if a row is wrong: then nothing is written
 */
export async function importStatistics(
  table: AsyncIterable<TableRow>,
  context: Omit<StatisticsContext, 'players'>,
  { schedule = '', dryRun = false }: { schedule?: string | undefined; dryRun?: boolean },
  api: Operations,
  { onRow }: ImportListener,
): Promise<void> {
  if (schedule === '') throw new Error('--schedule is missing: the ID or external ID of the game.');
  const game = /^[0-9a-f]{24}$/i.test(schedule)
    ? await api.schedules.get({ path: { scheduleId: schedule } })
    : await api.schedules.getByExternalId({ path: { externalId: schedule } });
  const sides = [game.teamOneId, game.teamTwoId].filter((id) => id !== undefined);
  const players = (await Promise.all(sides.map((teamId) => collect(api.players.list({ path: { teamId } }))))).flat();
  const sheet = (await collect(table)).map((row) => buildRow(row, buildStatistics, { ...context, players }));
  if (sheet.length === 0) throw new Error('The file has no rows below its header.');

  const path = { scheduleId: game._id };
  const stored = await api.playerStatistics.get({ path });
  const rows = sheet.flatMap(({ value }) => value ?? []);
  const resultOf = (row: SentStatisticsRow) =>
    compare(
      stored.data.find((each) => isSame(row, each)),
      row,
    );
  const hasFault = () => sheet.some(({ source }) => source.faults.length > 0);
  if (!hasFault() && !dryRun && rows.some((row) => resultOf(row) !== 'unchanged')) {
    const kept = stored.data.filter((each) => !rows.some((row) => isSame(row, each)));
    const body = { rows: [...rows, ...kept.map(toSent)] };
    const write = api.playerStatistics.write({ path, body, ifMatch: stored });
    await write.catch((error: unknown) => addFaults(error, rows, sheet));
  }
  const isWrong = hasFault();
  for (const built of sheet) {
    const results = (built.value ?? []).map(resultOf);
    const result = results.find((each) => each !== 'unchanged') ?? 'unchanged';
    const skipped = built.skipped ?? (isWrong ? 'another row is wrong' : undefined);
    onRow(
      outcomeOf({ ...built, ...(skipped !== undefined && { skipped }) }, { result, index: 0 } as MovingRowResponse),
    );
  }
  if (isWrong) throw new Error('Nothing was written, because a row is wrong: correct it, and repeat the import.');
}

function isSame({ playerId, playerExternalId, category }: SentStatisticsRow, stored: PlayerStatisticsRow): boolean {
  const isPlayer = playerId === undefined ? stored.playerExternalId === playerExternalId : stored.playerId === playerId;
  return isPlayer && stored.category === category;
}

function compare(stored: PlayerStatisticsRow | undefined, row: SentStatisticsRow): 'created' | 'updated' | 'unchanged' {
  if (!stored) return 'created';
  const stats = row.stats as Record<string, number | null>;
  const isEqual = Object.entries(stored.stats).every(([counter, value]) => value === (stats[counter] ?? null));
  return isEqual ? 'unchanged' : 'updated';
}

function toSent({ playerId, teamId, category, stats }: PlayerStatisticsRow): SentStatisticsRow {
  return { playerId, teamId, category, stats } as SentStatisticsRow;
}

/** Adds the problems of a rejected request to the rows of the sheet. @throws the error if it has none of them */
function addFaults(error: unknown, rows: readonly SentStatisticsRow[], sheet: Built<SentStatisticsRow[]>[]): void {
  if (!(error instanceof ApiError)) throw error;
  let isAdded = false;
  for (const { field, message } of error.details) {
    const row = rows[Number(/^rows\[(\d+)\]/.exec(field)?.[1])];
    const source = row && sheet.find(({ value }) => value?.includes(row))?.source;
    const column = source?.quote(`${row?.category ?? ''}.${field.split('.').at(-1) ?? ''}`);
    isAdded ||= source !== undefined;
    source?.faults.push(`${column ?? ''}: ${message.replace(/^rows\[\d+\]\.(stats\.)?/, '')}`);
  }
  if (!isAdded) throw error;
}
