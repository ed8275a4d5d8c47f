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
 * it to `duration`. A dry run with the starts alone finds those games.
 */
async function keepLengths(rows: readonly ScheduleRow[], schedules: Operations['schedules']): Promise<ScheduleRow[]> {
  const open = rows.filter(({ endDate, duration }) => endDate === undefined && duration === undefined);
  const starts = open.map(({ externalId, startDate = '' }) => ({ externalId, startDate }));
  const { data } =
    open.length > 0 ? await schedules.bulkUpsert({ body: { rows: starts, dryRun: true } }) : { data: [] };
  const ends = new Map<string, string>();
  for (const { result, index } of data) {
    const row = starts[index];
    if (result !== 'updated' || !row) continue;
    const stored = await schedules.getByExternalId({ path: { externalId: row.externalId } });
    const length = Date.parse(stored.endDate) - Date.parse(stored.startDate);
    ends.set(row.externalId, new Date(Date.parse(row.startDate) + length).toISOString());
  }
  return rows.map((row) => {
    const endDate = open.includes(row) ? ends.get(row.externalId) : undefined;
    return endDate === undefined ? row : { ...row, endDate };
  });
}
