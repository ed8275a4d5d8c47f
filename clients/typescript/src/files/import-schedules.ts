import type { MovingRowResponse, ScheduleRow } from '../generated/types.gen.js';
import type { Operations } from './outcome.js';
import type { BuiltGame } from './schedules.js';

/** Sends games in a bulk request. */
export async function sendGames(
  games: readonly BuiltGame[],
  dryRun: boolean,
  { schedules }: Operations,
): Promise<readonly MovingRowResponse[]> {
  const rows = games.map(({ owner, opponent, game }) => ({
    ...game,
    ...(owner._id && { teamId: owner._id }),
    // A dry run creates no teams.
    ...(opponent && (opponent._id ? { teamTwoId: opponent._id } : { teamTwoName: opponent.name })),
  }));
  const { data } = await schedules.bulkUpsert({ body: { rows: await keepLengths(rows, schedules), dryRun } });
  return data.map((result) => {
    if (result.result !== 'failed' || !result.error.details) return result;
    // The problems name the fields of the columns, as the owner can be either side.
    const columns = games[result.index]?.columns ?? {};
    const details = result.error.details.map((each) => ({ ...each, field: columns[each.field] ?? each.field }));
    return { ...result, error: { ...result.error, details } };
  });
}

/**
 * Returns the rows, those without an end or duration with the length of the stored game, because the API would change
 * it to `duration`. Dry runs of the starts find those games, and which of them are as long as one that was read.
 */
async function keepLengths(rows: readonly ScheduleRow[], schedules: Operations['schedules']): Promise<ScheduleRow[]> {
  const ends = new Map<ScheduleRow, { endDate?: string }>();
  const tried = new Set<number | undefined>();
  let open = rows.filter(({ endDate, duration }) => endDate === undefined && duration === undefined);
  for (let length: number | undefined; open.length > 0;) {
    if (!tried.has(length)) {
      for (const row of open) ends.set(row, endAfter(row, length));
      const starts = open.map((row) => ({
        externalId: row.externalId,
        startDate: row.startDate ?? '',
        ...ends.get(row),
      }));
      const { data } = await schedules.bulkUpsert({ body: { rows: starts, dryRun: true } });
      open = open.filter((_row, index) => data[index]?.result === 'updated');
      tried.add(length);
    }
    const row = open.shift();
    if (!row) break;
    const stored = await schedules.getByExternalId({ path: { externalId: row.externalId } });
    length = Date.parse(stored.endDate) - Date.parse(stored.startDate);
    ends.set(row, endAfter(row, length));
  }
  return rows.map((row) => ({ ...row, ...ends.get(row) }));
}

function endAfter({ startDate = '' }: ScheduleRow, length: number | undefined): { endDate?: string } {
  return length === undefined ? {} : { endDate: new Date(Date.parse(startDate) + length).toISOString() };
}
