import { ObjectId } from 'mongodb';
import demoLeague from '../../src/modules/sandbox/demo-league.json' with { type: 'json' };
import type { TestOrganization } from './organization.js';

const countOf = async (organization: TestOrganization, path: string) =>
  ((await organization.call('get', path).expect(200)).body as { total: number }).total;

/** Checks that an organization has the records of the demo league, and no others, over the API and in the database. */
export async function expectDemoLeague(organization: TestOrganization): Promise<void> {
  const { teams, schedules } = demoLeague;
  const { data } = (await organization.call('get', '/teams').expect(200)).body as { data: { name: string }[] };
  expect(data.map(({ name }) => name)).toEqual(teams.map(({ name }) => name));
  expect(await countOf(organization, '/schedules')).toBe(schedules.length);
  expect(await countOf(organization, '/schedules?filter=live')).toBe(1);
  const owned = { organizationId: new ObjectId(organization.id) };
  const database = await organization.server.database();
  const stored = (name: string) => database.collection(name).countDocuments(owned);
  const rows = schedules.flatMap(({ statistics = [] }) => statistics);
  expect({
    seasons: await stored('seasons'),
    teams: await stored('teams'),
    players: await stored('players'),
    schedules: await stored('schedules'),
    playerStatistics: await stored('playerStatistics'),
    calendarLinks: await stored('calendarLinks'),
  }).toEqual({
    seasons: 1,
    teams: teams.length,
    players: teams.flatMap(({ players }) => players).length,
    schedules: schedules.length,
    playerStatistics: rows.length,
    calendarLinks: 0,
  });
}
