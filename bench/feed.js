import http from 'node:http';
import path from 'node:path';
import { loadavg } from 'node:os';
import { MongoClient } from 'mongodb';
import { processorSeconds } from './compare/processes.js';
import { median, percentile, table } from './support/figures.js';
import { requestJson } from './support/requests.js';
import { admin, createOrganization, logIn, startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:feed`: measures what the change feed costs writes, how far it lags under load, and how many pages it
 * serves. See ADR 15.
 */
const [rounds = 10, seconds = 2, most = 128] = process.argv.slice(2).map(Number);
const concurrencies = [8, 32, 128].filter((count) => count <= most);
const startDate = '2027-05-01T10:00:00Z';
const progress = (text) => console.error(`${text} (load ${loadavg()[0].toFixed(1)})`);

/** Repeats requests over some connections for some seconds; returns their number. */
async function load(connections, time, work) {
  const end = performance.now() + time * 1_000;
  let count = 0;
  const one = async (index) => {
    while (performance.now() < end) {
      await work(index, count);
      count++;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
  return count;
}

/** Starts a mongod and a server whose feed can be switched off, with a team and a schedule for each connection. */
async function start() {
  const database = await startDatabase();
  const server = await startServer(database.uri, {
    MAX_REQUESTS_IN_FLIGHT: '1000000',
    NODE_OPTIONS: `--require ${path.resolve(import.meta.dirname, 'support/feed-switch.cjs')}`,
  });
  const client = await new MongoClient(database.uri).connect();
  const { pid: mongodPid } = await client.db().admin().serverStatus();
  const organization = await createOrganization(server, 2);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const partner = { url: server.url, agent, apiKey: organization.apiKey };
  const body = { name: 'Spring', startDate, endDate: '2027-06-30T00:00:00Z', organizationId: organization.id };
  const season = await admin(server, await logIn(server), 'POST', '/seasons', body);
  const team = await requestJson(partner, 'POST', '/teams', { name: 'Hawks', season: season._id });
  const game = { teamId: team._id, teamTwoName: 'Foxes', startDate };
  const schedules = [];
  for (let made = 0; made < 128; made++) schedules.push((await requestJson(partner, 'POST', '/schedules', game))._id);
  const operations = {
    'POST /schedules': () => requestJson(partner, 'POST', '/schedules', game),
    'PATCH /schedules/{id}': (index, turn) =>
      requestJson(partner, 'PATCH', `/schedules/${schedules[index]}`, {
        teamId: team._id,
        eventTitle: `Final ${turn}`,
      }),
  };
  const switchFeed = async () => {
    process.kill(server.pid, 'SIGWINCH');
    await new Promise((resolve) => setTimeout(resolve, 500));
  };
  const stop = async () => {
    agent.destroy();
    await server.stop();
    await client.close();
    await database.stop();
  };
  return { server, mongodPid: Number(mongodPid), partner, operations, switchFeed, stop };
}

async function measure({ server, mongodPid, operations }, operation, connections) {
  const pids = [server.pid, mongodPid];
  const before = await Promise.all(pids.map(processorSeconds));
  const begun = performance.now();
  const count = await load(connections, seconds, operations[operation]);
  const elapsed = (performance.now() - begun) / 1_000;
  const after = await Promise.all(pids.map(processorSeconds));
  const used = after.reduce((sum, value, at) => sum + value - before[at], 0);
  return { perSecond: count / elapsed, processor: (used * 1_000_000) / count };
}

/** Compares the throughput and CPU time of writes with and without the feed, in turns on the same server. */
async function compareWrites(place) {
  const rows = [];
  for (const operation of Object.keys(place.operations)) {
    await load(8, seconds * 2, place.operations[operation]);
    for (const connections of concurrencies) {
      const turns = { on: [], off: [] };
      for (let round = 0; round < rounds; round++) {
        // On, off, off, on: the figures change while the collection grows.
        for (const feed of round % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
          if (feed === 'off' && round % 2 === 0) await place.switchFeed();
          turns[feed].push(await measure(place, operation, connections));
          if (feed === 'off' && round % 2 === 1) await place.switchFeed();
        }
      }
      if (rounds % 2 === 1) await place.switchFeed();
      const ratio = (figure) =>
        median(turns.on.map((turn, round) => turn[figure] / turns.off[round][figure])).toFixed(3);
      const medians = ['perSecond', 'processor'].map((figure) =>
        median(turns.off.map((turn) => turn[figure])).toFixed(0),
      );
      rows.push([operation, connections, medians[0], ratio('perSecond'), medians[1], ratio('processor')]);
      progress(rows.at(-1).join(' | '));
    }
  }
  const columns = [
    'operation',
    'connections',
    'requests/s without feed',
    'with feed',
    'CPU µs per request',
    'with feed',
  ];
  return table(columns, rows);
}

/** Measures the time from a response to the feed that contains the record, with and without other writes. */
async function measureLag({ server, partner, operations }) {
  const other = await createOrganization(server);
  const prober = { ...partner, apiKey: other.apiKey };
  const body = { name: 'Spring', startDate, endDate: '2027-06-30T00:00:00Z', organizationId: other.id };
  const season = await admin(server, await logIn(server), 'POST', '/seasons', body);
  const rows = [];
  for (const connections of [0, 8, 32]) {
    const lags = [];
    let cursor = '';
    const isOver = { now: false };
    const writing = load(connections, 8, operations['POST /schedules']).then((count) => {
      isOver.now = true;
      return count;
    });
    const end = performance.now() + 8_000;
    while (connections === 0 ? performance.now() < end : !isOver.now) {
      const { _id } = await requestJson(prober, 'POST', '/teams', { name: 'Probe', season: season._id });
      const since = performance.now();
      for (let isSeen = false; !isSeen;) {
        const page = await requestJson(prober, 'GET', `/changes${cursor}`);
        cursor = `?cursor=${page.nextCursor}`;
        isSeen = page.data.some(({ id }) => id === _id);
      }
      lags.push(performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
    }
    const written = ((await writing) / 8).toFixed(0);
    rows.push([
      connections,
      written,
      lags.length,
      ...[0.5, 0.99, 1].map((share) => percentile(lags, share).toFixed(0)),
    ]);
    progress(rows.at(-1).join(' | '));
  }
  return table(['connections', 'writes/s', 'probes', 'lag p50 ms', 'p99 ms', 'longest ms'], rows);
}

/** Follows the whole feed once, then reads its pages over several connections. */
async function measurePages({ partner }) {
  const cursors = [''];
  const begun = performance.now();
  for (let page = { hasMore: true }; page.hasMore;) {
    page = await requestJson(partner, 'GET', `/changes${cursors.at(-1)}`);
    cursors.push(`?cursor=${page.nextCursor}`);
  }
  const full = performance.now() - begun;
  const count = await load(8, seconds, (_, turn) =>
    requestJson(partner, 'GET', `/changes${cursors[turn % (cursors.length - 1)]}`),
  );
  const idle = await load(8, seconds, () => requestJson(partner, 'GET', `/changes${cursors.at(-1)}`));
  return table(
    ['pages of 100', 'one reader, pages/s', '8 readers, pages/s', '8 idle readers, requests/s'],
    [
      [
        cursors.length - 1,
        ((cursors.length - 1) / (full / 1_000)).toFixed(0),
        (count / seconds).toFixed(0),
        (idle / seconds).toFixed(0),
      ],
    ],
  );
}

/** Throws unless the feed misses what is written while it is off. */
async function assertSwitched({ partner, operations, switchFeed }) {
  const countChanges = async () => {
    let count = 0;
    for (let page = { hasMore: true, nextCursor: undefined }; page.hasMore;) {
      page = await requestJson(partner, 'GET', `/changes${page.nextCursor ? `?cursor=${page.nextCursor}` : ''}`);
      count += page.data.length;
    }
    return count;
  };
  await switchFeed();
  const before = await countChanges();
  await operations['POST /schedules']();
  await switchFeed();
  if ((await countChanges()) !== before) throw new Error('The feed was not switched off.');
  await operations['POST /schedules']();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  if ((await countChanges()) !== before + 1) throw new Error('The feed was not switched on.');
}

const place = await start();
try {
  await assertSwitched(place);
  console.log(await compareWrites(place), '\n');
  console.log(await measureLag(place), '\n');
  console.log(await measurePages(place));
} finally {
  await place.stop();
}
