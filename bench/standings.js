import http from 'node:http';
import { MongoClient, ObjectId } from 'mongodb';
import { median, percentile } from './support/figures.js';
import { requestJson } from './support/requests.js';
import { admin, createOrganization, logIn, startDatabase, startServer } from './support/server.js';

/**
 * `node bench/standings.js [teams] [games]`: times the standings and the season totals of one season: the first
 * request, requests after a change of one game, requests without a change, and 304. Each game has statistics of ten
 * players of each side, written two days ago.
 */
const [teamCount = 200, gameCount = 2_000, rounds = 50] = process.argv.slice(2).map(Number);
const playersEach = 10;
const old = new Date(Date.now() - 48 * 3_600_000);

const database = await startDatabase();
const server = await startServer(database.uri);
const client = await new MongoClient(database.uri).connect();
const agent = new http.Agent({ keepAlive: true });

function get(path, apiKey, etag) {
  const headers = { Authorization: `Bearer ${apiKey}`, ...(etag && { 'If-None-Match': etag }) };
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const request = http.get(new URL(`/v1/public-api${path}`, server.url), { agent, headers }, (response) => {
      response.resume();
      response.once('end', () =>
        resolve({ status: response.statusCode, etag: response.headers.etag, time: performance.now() - start }),
      );
    });
    request.once('error', reject);
  });
}

try {
  const organization = await createOrganization(server);
  const partner = { url: server.url, agent, apiKey: organization.apiKey };
  const dates = { startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
  const body = { name: 'Spring', organizationId: organization.id, ...dates };
  const season = await admin(server, await logIn(server), 'POST', '/seasons', body);
  const template = await requestJson(partner, 'POST', '/teams', { name: 'Team', season: season._id });
  const game = { teamId: template._id, teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' };
  await requestJson(partner, 'POST', '/schedules', game);

  const db = client.db();
  const storedTeam = await db.collection('teams').findOne({ _id: new ObjectId(template._id) });
  const storedGame = await db.collection('schedules').findOne({});
  const copy = (record, fields) => ({ ...record, createdAt: old, updatedAt: old, ...fields, _id: new ObjectId() });
  const teams = Array.from({ length: teamCount }, (_, index) => copy(storedTeam, { name: `Team ${index}` }));
  const games = Array.from({ length: gameCount }, (_, index) => {
    const one = index % teamCount;
    const two = (one + 1 + (Math.floor(index / teamCount) % (teamCount - 1))) % teamCount;
    const scores = { teamOneScore: (index * 7) % 36, teamTwoScore: (index * 11) % 36 };
    const written = { statisticsWrittenAt: old, statisticsRevision: 1 };
    const sides = { teamOneId: teams[one]._id, teamTwoId: teams[two]._id };
    return copy(storedGame, { ...sides, status: 'final', ...scores, ...written });
  });
  const { organizationId } = storedTeam;
  const players = teams.flatMap(({ _id: teamId }) =>
    Array.from({ length: playersEach }, (_, index) => ({
      ...{ _id: new ObjectId(), organizationId, teamId, name: `Player ${index}`, position: [], revision: 1 },
      ...{ createdAt: old, updatedAt: old, deletedAt: null },
    })),
  );
  const playersOf = new Map(teams.map(({ _id }, index) => [String(_id), index * playersEach]));
  const stats = { passAttempts: 10, completions: 5, passingYards: 80, longestPass: 30, passingTouchdowns: 1 };
  const rows = games.flatMap(({ _id: scheduleId, teamOneId, teamTwoId }) =>
    [teamOneId, teamTwoId].flatMap((teamId) =>
      players.slice(playersOf.get(String(teamId)), playersOf.get(String(teamId)) + playersEach).map((player) => ({
        ...{ organizationId, scheduleId, category: 'qb', teamId, teamName: 'Team', playerId: player._id },
        ...{ playerName: player.name, stats, createdAt: old, updatedAt: old },
      })),
    ),
  );
  await db.collection('teams').insertMany(teams);
  await db.collection('schedules').insertMany(games);
  await db.collection('players').insertMany(players);
  await db.collection('playerStatistics').insertMany(rows);
  // The latest changes are not those of the season's insertion.
  await requestJson(partner, 'PATCH', `/teams/${template._id}`, { isArchived: true });
  await requestJson(partner, 'PATCH', `/teams/${template._id}/players/by-external-id/late`, { name: 'Late' });

  const [{ _id: changed, teamOneId }] = games;
  const changedPlayer = players.find(({ teamId }) => teamId.equals(teamOneId))._id;
  const change = async (round) => {
    const scores = { teamOneScore: round, teamTwoScore: 0 };
    await requestJson(partner, 'PATCH', `/schedules/${changed}`, { teamId: String(teamOneId), ...scores });
    const counters = { ...stats, passAttempts: 10 + round };
    const body = { rows: [{ playerId: String(changedPlayer), category: 'qb', stats: counters }] };
    await requestJson(partner, 'PUT', `/schedules/${changed}/player-statistics`, body);
  };

  for (const path of ['standings', 'player-statistics?category=qb&sort=passerRating&limit=100']) {
    const url = `/seasons/${season._id}/${path}`;
    const times = { first: [], 'after a change': [], unchanged: [], 304: [] };
    const measure = async (name, etag) => {
      const response = await get(url, organization.apiKey, etag);
      if (response.status !== (etag === undefined ? 200 : 304)) throw new Error(`${url}: ${response.status}`);
      times[name].push(response.time);
      return response.etag;
    };
    await measure('first');
    for (let round = 0; round < rounds; round++) {
      await change(round);
      const etag = await measure('after a change');
      await measure('unchanged');
      await measure('304', etag);
    }
    for (const [name, all] of Object.entries(times)) {
      const figures = [median(all), percentile(all, 95)].map((time) => `${time.toFixed(1)} ms`);
      console.log(`${path.split('?')[0]}, ${name}: median ${figures[0]}, p95 ${figures[1]}, ${all.length} requests`);
    }
  }
} finally {
  agent.destroy();
  await server.stop();
  await client.close();
  await database.stop();
}
