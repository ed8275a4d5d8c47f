import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';
import { processorSeconds } from './compare/processes.js';
import { median, table } from './support/figures.js';
import { writeSection } from './support/performance-page.js';
import { requestJson } from './support/requests.js';
import { admin, createOrganization, logIn, startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:sync`: measures bulk upserts of 100 players against single upserts and against the driver's bulk write
 * of the same documents, in turns, and runs `examples/nightly-sync.mts`. Writes the tables in bench/README.md between
 * `sync:begin` and `sync:end`; `npm run bench:sync -- <rounds> <seconds>` only prints.
 */
const [rounds = 3, seconds = 3] = process.argv.slice(2).map(Number);
const rowsPerRequest = 100;
const concurrencies = [1, 8, 32];
const startDate = '2027-05-01T10:00:00Z';
const progress = (text) => console.error(`${text} (load ${loadavg()[0].toFixed(1)})`);

const database = await startDatabase();
const server = await startServer(database.uri);
const client = await new MongoClient(database.uri, { maxPoolSize: 32 }).connect();
const mongodPid = Number((await client.db().admin().serverStatus()).pid);
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const organization = await createOrganization(server);
const send = (method, route, body) =>
  requestJson({ url: server.url, agent, apiKey: organization.apiKey }, method, route, body);
const season = await admin(server, await logIn(server), 'POST', '/seasons', {
  ...{ name: 'Spring', startDate, endDate: '2027-06-30T00:00:00Z', organizationId: organization.id },
});
const newTeam = async () => (await send('POST', '/teams', { name: 'Hawks', season: season._id }))._id;
const bare = client.db().collection('players_of_driver');
const indexes = await client.db().collection('players').indexes();
await bare.createIndexes(indexes.filter(({ name }) => name !== '_id_'));

const player = (externalId) => ({
  externalId,
  name: 'Jordan Lee',
  email: 'jordan@example.com',
  position: ['QB', 'WR'],
});
const playersOf = (request) => Array.from({ length: rowsPerRequest }, (_, row) => player(`${request}-${row}`));
let requests = 0;
const teamId = await newTeam();
const ids = { organizationId: new ObjectId(organization.id), teamId: new ObjectId(teamId) };
const storedPlayer = (row) => ({
  ...{ ...row, ...ids, _id: new ObjectId(), createdBy: ids.organizationId, deletedAt: null, revision: 1 },
  ...{ createdAt: new Date(), updatedAt: new Date() },
});
const route = `/teams/${teamId}/players`;
const known = playersOf('known');
const upsertsOf = (rows) =>
  rows.map(({ externalId, ...row }) => ({ updateOne: { filter: { ...ids, externalId }, update: { $set: row } } }));
const insertsOf = (rows) => rows.map((row) => ({ insertOne: { document: storedPlayer(row) } }));
await send('POST', `${route}/bulk`, { rows: known });
await bare.bulkWrite(insertsOf(known));

/** What is compared; each call returns the number of rows. */
const contenders = {
  'bulk, all new': async () => {
    await send('POST', `${route}/bulk`, { rows: playersOf(`bulk${++requests}`) });
    return rowsPerRequest;
  },
  'bulk, all unchanged': async () => {
    await send('POST', `${route}/bulk`, { rows: known });
    return rowsPerRequest;
  },
  'single, new': async () => {
    const { externalId, ...row } = player(`single${++requests}`);
    await send('PATCH', `${route}/by-external-id/${externalId}`, row);
    return 1;
  },
  'single, unchanged': async () => {
    const { externalId, ...row } = known[++requests % rowsPerRequest];
    await send('PATCH', `${route}/by-external-id/${externalId}`, row);
    return 1;
  },
  'driver, all new': async () => {
    await bare.bulkWrite(insertsOf(playersOf(`driver${++requests}`)), { ordered: false });
    return rowsPerRequest;
  },
  'driver, all unchanged': async () => {
    await bare.bulkWrite(upsertsOf(known), { ordered: false });
    return rowsPerRequest;
  },
};

/** Repeats a contender over some connections; returns its rows per second and the CPU time per row in microseconds. */
async function measure(work, connections) {
  const pids = [server.pid, mongodPid];
  const before = await Promise.all(pids.map(processorSeconds));
  const begun = performance.now();
  let rows = 0;
  const one = async () => {
    while (performance.now() - begun < seconds * 1_000) {
      const written = await work();
      rows += written;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const elapsed = (performance.now() - begun) / 1_000;
  const after = await Promise.all(pids.map(processorSeconds));
  const [ofServer, ofMongod] = after.map((used, at) => ((used - before[at]) * 1_000_000) / rows);
  return { perSecond: rows / elapsed, ofServer, ofMongod };
}

async function compareRows() {
  const lines = [];
  for (const connections of concurrencies) {
    const turns = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
    for (let round = -1; round < rounds; round++) {
      for (const [name, work] of Object.entries(contenders)) {
        const turn = await measure(work, connections);
        if (round >= 0) turns[name].push(turn);
      }
    }
    const of = (name, figure) => median(turns[name].map((turn) => turn[figure]));
    for (const rows of ['new', 'unchanged']) {
      const [bulk, single, driver] = [`bulk, all ${rows}`, `single, ${rows}`, `driver, all ${rows}`];
      lines.push([
        `all ${rows}`,
        connections,
        of(bulk, 'perSecond').toFixed(0),
        (of(bulk, 'perSecond') / of(single, 'perSecond')).toFixed(1),
        (of(bulk, 'perSecond') / of(driver, 'perSecond')).toFixed(2),
        `${of(bulk, 'ofServer').toFixed(0)} + ${of(bulk, 'ofMongod').toFixed(0)}`,
        `${of(single, 'ofServer').toFixed(0)} + ${of(single, 'ofMongod').toFixed(0)}`,
        of(driver, 'ofMongod').toFixed(0),
      ]);
      progress(lines.at(-1).join(' | '));
    }
  }
  const head = ['rows', 'connections', 'rows/s in bulk', '× single upserts', "× driver's bulkWrite"];
  // The CPU time is only printed.
  return table(
    head,
    lines.map((line) => line.slice(0, head.length)),
  );
}

/** Runs examples/nightly-sync.mts with 60 teams, 900 players and 300 games on three nights. */
async function exampleNights() {
  const own = await createOrganization(server);
  const folder = await mkdtemp(path.join(tmpdir(), 'nightly-sync-'));
  const program = path.resolve(import.meta.dirname, '../examples/nightly-sync.mts');
  let requests = 0;
  const counter = http.createServer((request, response) => {
    requests++;
    const { method, headers, url } = request;
    const forwarded = http.request(new URL(url, server.url), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await once(counter.listen(0, '127.0.0.1'), 'listening');
  const API = `http://127.0.0.1:${counter.address().port}/v1/public-api`;
  const shared = { ...{ name: 'Spring', startDate, endDate: '2027-06-30T00:00:00Z' }, organizationId: own.id };
  const { _id: season } = await admin(server, await logIn(server), 'POST', '/seasons', shared);
  /** Every 33rd record of a night differs, and every 100th is gone. */
  const recordsOf = (night, prefix, count, build) =>
    Array.from({ length: count }, (_, at) => at)
      .filter((at) => night === 0 || at % 100 !== 50)
      .map((at) => ({
        ...build(at, night > 0 && at % 33 === 1 ? `, night ${night}` : ''),
        externalId: `${prefix}-${at}`,
      }));
  const run = async (night) => {
    const teams = recordsOf(0, 'team', 60, (at) => ({ name: `Team ${at}`, season }));
    const players = recordsOf(night, 'player', 900, (at, change) => ({ ...player(''), name: `Player ${at}${change}` }));
    const rosters = teams.map(({ externalId }, at) => ({
      ...{ team: externalId, newPositions: [] },
      players: players.filter((row) => Number(row.externalId.split('-')[1]) % 60 === at),
    }));
    const schedules = recordsOf(night, 'game', 300, (at, change) => ({
      ...{ team: `team-${at % 60}`, startDate, teamTwoName: `Guests ${at}${change}` },
    }));
    await writeFile(path.join(folder, 'export.json'), JSON.stringify({ teams, rosters, schedules }));
    [requests, begun] = [0, performance.now()];
    const child = spawn(process.execPath, [program], { cwd: folder, env: { API, API_KEY: own.apiKey } });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (code !== 0) throw new Error(errors);
    const elapsed = (performance.now() - begun) / 1_000;
    const summary = { created: 0, updated: 0, unchanged: 0, deleted: 0, moved: 0 };
    for (const [, json] of output.matchAll(/ from row \d+: (.*)$/gm)) {
      for (const name of Object.keys(summary)) summary[name] += JSON.parse(json)[name] ?? 0;
    }
    return [requests, elapsed.toFixed(1), JSON.stringify(summary)];
  };
  let begun;
  const nights = [['the first night', ...(await run(0))]];
  // The feed has the first night by now.
  await sleep(1_000);
  nights.push(['3 % changed, 1 % deleted', ...(await run(1))]);
  await sleep(1_000);
  nights.push(['nothing changed', ...(await run(1))]);
  counter.close();
  return table(['60 teams, 900 players, 300 games', 'requests', 'seconds', 'rows'], nights);
}

const rows = await compareRows();
console.log(`${rows}\n\n${await exampleNights()}`);
if (process.argv.length === 2) await writeSection('sync', rows, 'bench/README.md');
agent.destroy();
await server.stop();
await client.close();
await database.stop();
