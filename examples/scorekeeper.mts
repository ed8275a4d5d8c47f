/**
 * Keeps the score of a game and the statistics of one side. Copy and adapt it.
 *
 *   API=https://api.example.com API_KEY=… node scorekeeper.mts <scheduleId> <teamId>
 *
 * Requires Node.js 22.18 or later and `flag-football-client`. Every step can be repeated.
 */
import { createClient, isError, type SentStatisticsRow } from 'flag-football-client';

const { API = '', API_KEY = '' } = process.env;
const [scheduleId = '', teamId = ''] = process.argv.slice(2);
const client = createClient({ baseUrl: API, apiKey: API_KEY });
const path = { scheduleId };

async function setScore(teamOneScore: number, teamTwoScore: number, status: 'scheduled' | 'final') {
  const { teamId: owner } = await client.schedules.get({ path });
  await client.schedules.update({ path, body: { teamId: owner, status, teamOneScore, teamTwoScore } });
}

/** Replaces one row of the side, and keeps the others, even if another scorer writes at the same time. */
async function setRow(row: SentStatisticsRow): Promise<void> {
  const statistics = await client.playerStatistics.get({ path, query: { teamId } });
  const others = statistics.data
    .filter(({ playerId, category }) => playerId !== row.playerId || category !== row.category)
    .map(({ playerId, category, stats }) => ({ playerId, category, stats }) as SentStatisticsRow);
  try {
    const body = { rows: [...others, row] };
    await client.playerStatistics.write({ path, query: { teamId }, body, ifMatch: statistics });
  } catch (error) {
    if (!isError(error, 41201)) throw error;
    return setRow(row);
  }
}

const [player] = (await client.players.list({ path: { teamId } })).data;
await setScore(6, 0, 'scheduled');
await setRow({ playerId: player?._id ?? '', category: 'qb', stats: { passAttempts: 2, completions: 1 } });
await setScore(6, 0, 'final');
