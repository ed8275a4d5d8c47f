import { validated } from '../../../test/support/validated.js';
import { CreatePlayer } from '../players/player.dto.js';
import { CreateSchedule } from '../schedules/schedule.dto.js';
import { parseRows } from '../statistics/rules/parse-rows.js';
import {
  statisticsCategories,
  statisticsTable,
  type StatisticsCategory,
} from '../statistics/rules/statistics-table.js';
import { demoLeague as league, type DemoSchedule } from './demo-league.js';

interface DemoRow {
  player: string;
  category: StatisticsCategory;
  stats: Record<string, number>;
}

describe('demo-league.json', () => {
  let played: DemoSchedule[];
  const ids = new Map<unknown, string>();
  const rowsOf = ({ statistics = [] }: DemoSchedule) => statistics as unknown as DemoRow[];

  beforeAll(() => {
    played = league.schedules.filter(({ statistics }) => statistics !== undefined);
    const players = league.teams.flatMap((team) => team.players.map((each) => `${team.name} ${each.jerseyNumber}`));
    const names = [...league.teams.map(({ name }) => name), ...players];
    names.forEach((name, index) => ids.set(name, String(index).padStart(24, '0')));
    expect(ids.size).toBe(names.length);
  });

  it('has four teams with players that POST /teams/{teamId}/players accepts', async () => {
    expect(league.teams).toHaveLength(4);
    for (const player of league.teams.flatMap(({ players }) => players)) {
      expect(await validated(CreatePlayer, player)).toEqual(player);
    }
  });

  it('has schedules that POST /schedules accepts, within the season', async () => {
    for (const { body, minutesFromNow } of league.schedules) {
      const { teamId, teamTwoId } = body;
      const named = { teamId: ids.get(teamId), ...(teamTwoId !== undefined && { teamTwoId: ids.get(teamTwoId) }) };
      const sent = { ...body, ...named, startDate: '2027-05-01T10:00:00Z' };
      expect(await validated(CreateSchedule, sent)).toMatchObject(named);
      expect(minutesFromNow).toBeGreaterThan(league.season.startsInDays * 24 * 60);
      expect(minutesFromNow).toBeLessThan(league.season.endsInDays * 24 * 60);
    }
  });

  it('has past games and one live game with statistics, and upcoming games without', () => {
    const times = (schedules: readonly DemoSchedule[]) => schedules.map(({ minutesFromNow }) => minutesFromNow);
    const live = league.schedules.filter(({ isLive }) => isLive);
    expect(times(live)).toEqual([-10]);
    expect(Math.max(...times(played.filter(({ isLive }) => !isLive)))).toBeLessThan(-60);
    // Games that were decided without statistics, or cancelled, have a status.
    const upcoming = league.schedules.filter(({ statistics, body }) => statistics === undefined && !('status' in body));
    expect(Math.min(...times(upcoming))).toBeGreaterThan(0);
    expect(played.length).toBeGreaterThanOrEqual(5);
    expect(upcoming.length).toBeGreaterThanOrEqual(5);
  });

  it('has statistics that pass the rules, with every counter, of all five categories for both teams', () => {
    for (const game of played) {
      const rows = rowsOf(game).map(({ player, ...row }) => ({ playerId: ids.get(player), ...row }));
      expect(parseRows(rows)).toHaveLength(rows.length);
      for (const { category, stats } of rows) {
        expect(Object.keys(stats)).toEqual(Object.keys(statisticsTable[category].counters));
      }
      for (const team of [game.body['teamId'], game.body['teamTwoId']]) {
        const own = rowsOf(game).filter(({ player }) => player.startsWith(`${String(team)} `));
        expect(new Set(own.map(({ category }) => category))).toEqual(new Set(statisticsCategories));
      }
    }
  });
});
