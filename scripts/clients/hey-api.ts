import { createPlayer, createSchedule, createTeam, getPlayerStatistics, listSchedules, listSeasons } from './client';
import { client } from './client/client.gen';

const { API_URL = '', API_KEY = '', GAME_ID = '' } = process.env;
client.setConfig({ baseUrl: API_URL, auth: API_KEY });
const throwOnError = true;

async function main(): Promise<void> {
  const season = (await listSeasons({ throwOnError })).data.data[0]?._id ?? '';
  const { data: team } = await createTeam({ body: { name: 'Client Hawks', season }, throwOnError });
  const teamId = team._id;
  const { data: player } = await createPlayer({
    path: { teamId },
    headers: { 'idem-key': crypto.randomUUID() },
    body: { name: 'Jordan Lee' },
    throwOnError,
  });
  const { data: schedule } = await createSchedule({
    body: { teamId, teamTwoName: 'Foxes', startDate: '2199-05-01T10:00:00Z', duration: 40 },
    throwOnError,
  });
  const { data: list } = await listSchedules({ query: { teamId, filter: 'upcoming' }, throwOnError });
  const { data: statistics } = await getPlayerStatistics({ path: { scheduleId: GAME_ID }, throwOnError });
  const sums = { qb: 0, offensive: 0, defensive: 0, punt: 0, return: 0 };
  for (const row of statistics.data) {
    if (row.category === 'qb') sums.qb += row.stats.completions ?? 0;
    else if (row.category === 'offensive') sums.offensive += row.stats.receptions ?? 0;
    else if (row.category === 'defensive') sums.defensive += row.stats.flagPulls ?? 0;
    else if (row.category === 'punt') sums.punt += row.stats.punts ?? 0;
    else sums.return += row.stats.kickReturns ?? 0;
  }
  const { eventTitle, duration } = schedule;
  console.log(JSON.stringify({ team: team.name, player: player.name, eventTitle, duration, total: list.total, sums }));
}

void main();
