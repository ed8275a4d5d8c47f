import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { arrange } from './compare/arrange.js';
import { installPeers } from './compare/install-peers.js';
import { startClient } from './compare/measure.js';
import { headersOf, operations } from './compare/operations.js';
import { answering, startProgram } from './compare/processes.js';
import { get, prefix } from './compare/requests.js';
import { table } from './support/figures.js';
import { freePort } from './support/free-port.js';
import { startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:stages`: processor time of each stage of a request, without the kernel's. A stage costs what the server
 * saves while it leaves the stage out, in turns with the complete server in one process. Only prints.
 */
const { values } = parseArgs({
  options: {
    operation: { type: 'string', default: 'schedule' },
    connections: { type: 'string', default: '8' },
    /** Numbers of requests. The JIT still optimizes after 10,000. */
    warm: { type: 'string', default: '12000' },
    measured: { type: 'string', default: '48000' },
    /** Another module with `stages`, such as experiments, which is measured alone. */
    stages: { type: 'string' },
  },
});
const { label, contract } = operations[values.operation];
const [connections, warm, measured] = ['connections', 'warm', 'measured'].map((name) => Number(values[name]));
const beside = measured / 6;
const folder = await mkdtemp(path.join(tmpdir(), 'bench-stages-'));
const options = ['--max-semi-space-size=32', '--import', path.resolve(import.meta.dirname, 'stages/preload.js')];
let started = 0;

async function startOurs(uri, program, stages) {
  const work = path.join(folder, String(started++));
  const environment = { STAGES_WORK: work, NODE_OPTIONS: '', ...(stages && { STAGES: path.resolve(stages) }) };
  return { ...(await startServer(uri, environment, [...options, program])), work };
}

async function startExpress(uri) {
  const [work, port] = [path.join(folder, String(started++)), await freePort()];
  const environment = { MONGODB_URI: uri, PORT: String(port), NODE_OPTIONS: options.join(' '), STAGES_WORK: work };
  const program = startProgram(path.resolve(import.meta.dirname, 'peers/express.js'), environment);
  await answering(`http://127.0.0.1:${port}/health`, performance.now());
  return { ...program, url: `http://127.0.0.1:${port}`, work };
}

/** Returns the microseconds per request without each stage; those of the complete server under the empty name. */
async function load(client, { url, pid, work }, key, requests, count) {
  const headers = headersOf('contract', key);
  // Shows the replies of the database to the preload.
  await client.turn({ url, connections: 1, seconds: 0.5, requests, headers });
  const raw = requests.map(({ method, path: target, body = '' }) => {
    const all = { host: 'bench', ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  });
  await writeFile(work, JSON.stringify({ requests: raw, connections, warm, measured: count }));
  await rm(`${work}.result`, { force: true });
  process.kill(pid, 'SIGWINCH');
  for (;;) {
    await sleep(200);
    const result = await readFile(`${work}.result`, 'utf8').catch(() => '');
    if (!result.endsWith('}')) continue;
    return Object.fromEntries(Object.entries(JSON.parse(result)).map(([stage, each]) => [stage, lowMean(each)]));
  }
}

/** Returns the mean of the lowest quarter, because other work on the machine only adds to a window. */
function lowMean(numbers) {
  const low = numbers.sort((a, b) => a - b).slice(0, Math.ceil(numbers.length / 4));
  return low.reduce((sum, each) => sum + each, 0) / low.length;
}

/** Returns rows with the complete requests of bare Express, and with requests to this server that end early. */
async function measureBeside(client, uri, { key, ...data }) {
  const [express, ours] = [await startExpress(uri), await startOurs(uri, 'dist/main.js')];
  const rows = [];
  const add = async (name, server, requests) =>
    rows.push([name, (await load(client, server, key, requests, beside))['']]);
  await add('bare Express', express, contract(data));
  await add('liveness', ours, [get('/health/live')]);
  await add('unknown route, 404', ours, [get(`${prefix}/unknown`)]);
  await add('malformed ID, 400', ours, [get(`${prefix}/schedules/malformed`)]);
  for (const server of [express, ours]) await server.stop();
  return rows;
}

installPeers();
const database = await startDatabase();
const client = startClient();
const { uri } = database;
const stages = values.stages ?? path.resolve(import.meta.dirname, 'stages/leave-outs.js');
const ours = await startOurs(uri, 'dist/main.js', stages);
const data = await arrange(ours, uri);
try {
  const rows = values.stages === undefined ? await measureBeside(client, uri, data) : [];
  const { '': complete, ...others } = await load(client, ours, data.key, contract(data), measured);
  rows.push(['this server', complete]);
  for (const [stage, each] of Object.entries(others)) rows.push([stage, each, complete - each]);
  const cells = rows.map(([name, each, saved]) => [name, each.toFixed(0), saved?.toFixed(0) ?? '']);
  console.log(table([label, 'µs per request', 'µs of the stage'], cells));
} finally {
  client.stop();
  await ours.stop();
  await data.client.close();
  await database.stop();
  await rm(folder, { recursive: true });
}
