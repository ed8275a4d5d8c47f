import type { Response } from 'supertest';
import { mapBounded } from '../support/concurrency.js';
import { expectCreated } from '../support/idempotent-creates.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

/** A record of the partner, with an idem-key from its own number. */
interface Step {
  path: string;
  key: string;
  body: Record<string, unknown>;
}

const teamCount = 20;
const playersPerTeam = 15;
const scheduleCount = 200;
const width = 8;
const firstKickoff = Date.UTC(2027, 2, 6, 9);

let server: RunningServer;
let organization: TestOrganization;
let season: string;
let firstNight: Response[];
let secondNight: Response[];

function teamSteps(): Step[] {
  return Array.from({ length: teamCount }, (_, index) => ({
    path: '/teams',
    key: `team-${index}`,
    body: { name: `Team ${index}`, season, ageGroup: `${5 + (index % 15)}U` },
  }));
}

function playerSteps(teams: readonly string[]): Step[] {
  return teams.flatMap((team, teamIndex) =>
    Array.from({ length: playersPerTeam }, (_, index) => ({
      path: `/teams/${team}/players`,
      key: `player-${teamIndex * playersPerTeam + index}`,
      body: { name: `Player ${teamIndex}-${index}`, jerseyNumber: `0${index}`, position: ['qb', 'Rover'] },
    })),
  );
}

function scheduleSteps(teams: readonly string[]): Step[] {
  return Array.from({ length: scheduleCount }, (_, index) => ({
    path: '/schedules',
    key: `game-${index}`,
    body: {
      teamId: teams[index % teamCount],
      teamTwoId: teams[(index + 1 + Math.floor(index / teamCount)) % teamCount],
      startDate: new Date(firstKickoff + index * 3_600_000).toISOString(),
      locationName: `Field ${index % 4}`,
    },
  }));
}

const send = (steps: readonly Step[]) =>
  mapBounded(steps, width, ({ path, key, body }) => organization.call('post', path).set('idem-key', key).send(body));

/** Imports the teams, then the records that need their IDs, a few at once; returns the responses in order. */
async function importSeason(): Promise<Response[]> {
  const teams = await send(teamSteps());
  const ids = teams.map(({ body }) => (body as Stored)._id);
  return [...teams, ...(await send(playerSteps(ids))), ...(await send(scheduleSteps(ids)))];
}

/** Reads a whole list page by page. */
async function readAll(path: string): Promise<Stored[]> {
  const all: Stored[] = [];
  for (let page = 1; ; page++) {
    const { data, total } = await readPage(() => organization.call('get', `${path}?page=${page}&limit=100`));
    all.push(...data);
    if (data.length === 0 || all.length >= total) return all;
  }
}

beforeAll(async () => {
  server = await RunningServer.start();
  organization = await createOrganization(server);
  season = (await organization.season())._id;
  firstNight = await importSeason();
  secondNight = await importSeason();
}, 120_000);

afterAll(async () => {
  await server.stop();
});

describe('a bulk import of 20 teams, 300 players and 200 schedules, repeated with the same idem-keys', () => {
  it('creates every record the first time', () => {
    expect(firstNight).toHaveLength(teamCount + teamCount * playersPerTeam + scheduleCount);
    const ids = new Set(firstNight.map((response) => expectCreated(response)._id));
    expect(ids.size).toBe(firstNight.length);
  });

  it('gets every first response again the second time, byte for byte and marked as replayed', () => {
    expect(secondNight).toHaveLength(firstNight.length);
    expect(secondNight.map(({ status, text }) => ({ status, text }))).toEqual(
      firstNight.map(({ text }) => ({ status: 201, text })),
    );
    expect(secondNight.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toEqual([]);
  });

  it('lists each team, player and schedule once, as in its response', async () => {
    const teams = await readAll('/teams');
    const players: Stored[] = [];
    for (const { _id } of teams) {
      const roster = await readAll(`/teams/${_id}/players`);
      expect(roster).toHaveLength(playersPerTeam);
      players.push(...roster);
    }
    const listed = [...teams, ...players, ...(await readAll('/schedules'))];
    const byId = (records: Stored[]) => new Map(records.map((record) => [record._id, record]));
    expect(listed).toHaveLength(firstNight.length);
    expect(byId(listed)).toEqual(byId(firstNight.map(({ body }) => body as Stored)));
  });

  it('leaves no other records in the database', async () => {
    const database = await server.database();
    const collections = ['teams', 'players', 'schedules'];
    const counts = await Promise.all(collections.map((name) => database.collection(name).countDocuments()));
    expect(counts).toEqual([teamCount, teamCount * playersPerTeam, scheduleCount]);
  });
});
