import {
  Configuration,
  PlayersApi,
  PlayerStatisticsApi,
  ScheduleFilter,
  SchedulesApi,
  SeasonsApi,
  TeamsApi,
} from './client';

const { API_URL = '', API_KEY = '', GAME_ID = '' } = process.env;
const configuration = new Configuration({ basePath: API_URL, accessToken: API_KEY });
const schedules = new SchedulesApi(configuration);

async function main(): Promise<void> {
  const season = (await new SeasonsApi(configuration).listSeasons()).data[0]?.id ?? '';
  const team = await new TeamsApi(configuration).createTeam({ createTeam: { name: 'Client Hawks', season } });
  const teamId = team.id;
  const player = await new PlayersApi(configuration).createPlayer({
    teamId,
    idemKey: crypto.randomUUID(),
    createPlayer: { name: 'Jordan Lee' },
  });
  const { eventTitle, duration } = await schedules.createSchedule({
    createSchedule: { teamId, teamTwoName: 'Foxes', startDate: new Date('2199-05-01T10:00:00Z'), duration: 40 },
  });
  const { total } = await schedules.listSchedules({ teamId, filter: ScheduleFilter.Upcoming });
  const statistics = await new PlayerStatisticsApi(configuration).getPlayerStatistics({ scheduleId: GAME_ID });
  const sums = { qb: 0, offensive: 0, defensive: 0, punt: 0, return: 0 };
  for (const row of statistics.data) {
    if (row.category === 'qb') sums.qb += row.stats.completions ?? 0;
    else if (row.category === 'offensive') sums.offensive += row.stats.receptions ?? 0;
    else if (row.category === 'defensive') sums.defensive += row.stats.flagPulls ?? 0;
    else if (row.category === 'punt') sums.punt += row.stats.punts ?? 0;
    else sums.return += row.stats.kickReturns ?? 0;
  }
  console.log(JSON.stringify({ team: team.name, player: player.name, eventTitle, duration, total, sums }));
}

void main();
