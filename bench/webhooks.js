import http from 'node:http';
import { loadavg } from 'node:os';
import { MongoClient } from 'mongodb';
import { processorSeconds } from './compare/processes.js';
import { median, percentile, table } from './support/figures.js';
import { writeSection } from './support/performance-page.js';
import { requestJson } from './support/requests.js';
import { admin, createOrganization, logIn, startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:webhooks`: measures what ten subscribed endpoints cost `POST /schedules`, in turns with the same endpoints
 * disabled, how many deliveries per second one server makes, and the time from a write to its delivery. Writes the tables
 * in bench/README.md between `webhooks:begin` and `webhooks:end`; `npm run bench:webhooks -- <rounds> <seconds>`
 * only prints. `npm run bench:webhooks -- workers` measures one, two and three workers in turns, and writes the table
 * in docs/performance.md between `webhook-workers:begin` and `webhook-workers:end`.
 */
const measuresWorkers = process.argv[2] === 'workers';
const [rounds = 6, seconds = 2] = measuresWorkers ? [3, 10] : process.argv.slice(2).map(Number);
const startDate = '2027-05-01T10:00:00Z';
const progress = (text) => console.error(`${text} (load ${loadavg()[0].toFixed(1)})`);
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** When each event arrived, by the ID of its record and the path of its endpoint. */
const arrivals = new Map();
/** How long the receiver takes. */
let responseMilliseconds = 0;
const receiver = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const at = performance.now();
    setTimeout(() => response.writeHead(204).end(), responseMilliseconds);
    arrivals.set(`${JSON.parse(body).data.id}${request.url}`, at);
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const receiverUrl = `http://127.0.0.1:${receiver.address().port}`;

const database = await startDatabase();
const settings = {
  NODE_ENV: 'development',
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
  METRICS_PORT: 'off',
  WEBHOOK_DELIVERIES_PER_HOUR: '1000000',
};
const start = (variables) =>
  startServer(database.uri, { ...settings, ...variables, MAX_REQUESTS_IN_FLIGHT: '1000000' });
const server = await start({ WEBHOOK_WORKER: 'off' });
const client = await new MongoClient(database.uri).connect();
const mongodPid = Number((await client.db().admin().serverStatus()).pid);
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

/** Creates an organization with endpoints; `write` creates a schedule. */
async function createPartner(endpoints) {
  const organization = await createOrganization(server);
  const partner = { url: server.url, agent, apiKey: organization.apiKey };
  const season = { name: 'Spring', startDate, endDate: '2027-06-30T00:00:00Z', organizationId: organization.id };
  const { _id } = await admin(server, await logIn(server), 'POST', '/seasons', season);
  const team = await requestJson(partner, 'POST', '/teams', { name: 'Hawks', season: _id });
  const ids = [];
  for (let index = 0; index < endpoints; index++)
    ids.push((await requestJson(partner, 'POST', '/webhook-endpoints', { url: `${receiverUrl}/${index}` }))._id);
  const game = { teamId: team._id, teamTwoName: 'Foxes', startDate };
  return {
    write: () => requestJson(partner, 'POST', '/schedules', game),
    switchEndpoints: (isEnabled) =>
      Promise.all(ids.map((id) => requestJson(partner, 'PATCH', `/webhook-endpoints/${id}`, { isEnabled }))),
  };
}

/** Repeats a write over some connections for some seconds; returns the IDs of the records. */
async function load(write, connections, time) {
  const end = performance.now() + time * 1_000;
  const ids = [];
  const one = async () => {
    while (performance.now() < end) ids.push((await write())._id);
  };
  await Promise.all(Array.from({ length: connections }, one));
  return ids;
}

/** Measures writes per second, and the CPU time per write of the server with its mongod, in microseconds. */
async function measure(write, connections) {
  const pids = [server.pid, mongodPid];
  const before = await Promise.all(pids.map(processorSeconds));
  const begun = performance.now();
  const { length } = await load(write, connections, seconds);
  const elapsed = (performance.now() - begun) / 1_000;
  // The last writes become deliveries after the last response.
  await sleep(400);
  const after = await Promise.all(pids.map(processorSeconds));
  const used = after.reduce((sum, value, at) => sum + value - before[at], 0);
  return { perSecond: length / elapsed, processor: (used * 1_000_000) / length };
}

/** Compares writes with ten enabled and ten disabled endpoints, on a server that stores the deliveries and sends none. */
async function compareWrites() {
  const { write, switchEndpoints } = await createPartner(10);
  const rows = [];
  await load(write, 32, seconds);
  for (const connections of [8, 32, 128]) {
    const turns = { true: [], false: [] };
    for (let round = 0; round < rounds; round++) {
      for (const isEnabled of round % 2 === 0 ? [true, false] : [false, true]) {
        await switchEndpoints(isEnabled);
        turns[isEnabled].push(await measure(write, connections));
      }
    }
    const of = (isEnabled, figure) => median(turns[isEnabled].map((turn) => turn[figure]));
    const ratio = (figure) => median(turns.true.map((turn, round) => turn[figure] / turns.false[round][figure]));
    rows.push([
      connections,
      of(false, 'perSecond').toFixed(0),
      ratio('perSecond').toFixed(2),
      ratio('processor').toFixed(2),
    ]);
    progress(rows.at(-1).join(' | '));
  }
  await switchEndpoints(false);
  const columns = ['requests/s without endpoints', 'with ten', 'CPU per request with ten'];
  return table(['connections', ...columns], rows);
}

/** Lets a second server deliver the events of writes to ten endpoints; returns its deliveries per second. */
async function measureDeliveries() {
  const { write, switchEndpoints } = await createPartner(10);
  const ids = await load(write, 8, seconds);
  await sleep(1_000);
  const pending = ids.length * 10;
  arrivals.clear();
  const worker = await start({});
  while (arrivals.size === 0) await sleep(1);
  const [before, begun] = [await processorSeconds(worker.pid), performance.now()];
  const mongodBefore = await processorSeconds(mongodPid);
  while (arrivals.size < pending && performance.now() - begun < 120_000) await sleep(10);
  const elapsed = (performance.now() - begun) / 1_000;
  const used = [(await processorSeconds(worker.pid)) - before, (await processorSeconds(mongodPid)) - mongodBefore];
  const processor = used.map((value) => ((value * 1_000_000) / arrivals.size).toFixed(0)).join(' + ');
  const row = [pending, arrivals.size, (arrivals.size / elapsed).toFixed(0), processor];
  progress(row.join(' | '));
  await switchEndpoints(false);
  const text = `A server sends ${(arrivals.size / elapsed).toFixed(0)} deliveries/s.`;
  return { worker, text };
}

/** Measures the time from the response to a write until its delivery, without and with other writes. */
async function measureDelay() {
  const { write } = await createPartner(1);
  const { write: writeOther } = await createPartner(0);
  const rows = [];
  for (const connections of [0, 8, 32]) {
    arrivals.clear();
    const sent = new Map();
    const others = load(writeOther, connections, 10);
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      const { _id } = await write();
      sent.set(`${_id}/0`, performance.now());
      await sleep(Math.random() * 100);
    }
    const written = (await others).length / 10;
    while (arrivals.size < sent.size) await sleep(10);
    const delays = [...sent].map(([key, at]) => arrivals.get(key) - at);
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(delays, share).toFixed(0));
    rows.push(`- ${written.toFixed(0)} other writes/s: delay p50 ${p50} ms, p99 ${p99} ms`);
    progress(`${rows.at(-1)}, ${sent.size} events`);
  }
  return rows.join('\n');
}

/** Lets workers deliver for some seconds; returns deliveries per second, and the CPU time of workers and mongod for each. */
async function measureTogether(number) {
  const workers = await Promise.all(Array.from({ length: number }, () => start({})));
  arrivals.clear();
  // The first ones are slow, because the processes are new.
  while (arrivals.size < 600) await sleep(10);
  const pids = [...workers.map(({ pid }) => pid), mongodPid];
  const processors = async () => (await Promise.all(pids.map(processorSeconds))).reduce((sum, used) => sum + used, 0);
  const [before, used, begun] = [arrivals.size, await processors(), performance.now()];
  await sleep(seconds * 1_000);
  const [count, elapsed] = [arrivals.size - before, (performance.now() - begun) / 1_000];
  const processor = (((await processors()) - used) * 1_000_000) / count;
  await Promise.all(workers.map((worker) => worker.stop()));
  return { perSecond: count / elapsed, processor };
}

/** Compares one, two and three workers that send what waits for 300 endpoints of 30 organizations. */
async function compareWorkers() {
  const partners = [];
  for (let index = 0; index < 30; index++) partners.push(await createPartner(10));
  const rows = [];
  for (const milliseconds of [0, 2_000]) {
    for (const { write } of partners) for (let event = 0; event < 100; event++) await write();
    responseMilliseconds = milliseconds;
    const turns = { 1: [], 2: [], 3: [] };
    for (let round = 0; round < rounds; round++) {
      for (const count of round % 2 === 0 ? [1, 2, 3] : [3, 2, 1]) {
        turns[count].push(await measureTogether(count));
        progress(`${milliseconds} ms, ${count} workers: ${turns[count].at(-1).perSecond.toFixed(0)} deliveries/s`);
      }
    }
    const ratio = (count) =>
      median(turns[count].map((turn, round) => turn.perSecond / turns[1][round].perSecond)).toFixed(2);
    const of = (figure) => [1, 2, 3].map((count) => median(turns[count].map((turn) => turn[figure])).toFixed(0));
    rows.push([milliseconds, of('perSecond').join(', '), ratio(2), ratio(3), of('processor').join(', ')]);
  }
  const columns = ['deliveries/s of 1, 2, 3 workers', '2 / 1', '3 / 1', 'CPU µs per delivery, with mongod'];
  return table(['receivers respond after, ms', ...columns], rows);
}

if (measuresWorkers) {
  const workers = await compareWorkers();
  console.log(workers);
  await writeSection('webhook-workers', workers, 'bench/README.md');
} else {
  const writes = await compareWrites();
  const { worker, text } = await measureDeliveries();
  const tables = [writes, text, await measureDelay()].join('\n\n');
  console.log(tables);
  if (process.argv.length === 2) await writeSection('webhooks', tables, 'bench/README.md');
  await worker.stop();
}
agent.destroy();
await server.stop();
await client.close();
await database.stop();
receiver.closeAllConnections();
receiver.close();
