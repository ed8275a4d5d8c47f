import { Worker } from 'node:worker_threads';
import { median, percentile, table } from './support/figures.js';
import { createOrganization, startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:overload`: measures the cost of the concurrency limit, the effect of five times the capacity, and the
 * effect of one organization's flood on another. The alternative is the same server without an effective limit.
 */
const [rounds = 2, floodSeconds = 6, restSeconds = 8] = process.argv.slice(2).map(Number);
const unbounded = { MAX_REQUESTS_IN_FLIGHT: '1000000' };
const steadyPerSecond = 50;
/** Enough keys for the steady organization to stay within the default rate limit. */
const steadyKeys = 30;

function client(program, workerData) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`support/${program}-client.js`, import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

const seasons = (server) => new URL('/v1/public-api/seasons', server.url).href;
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
const steady = (server, organization, seconds) =>
  client('steady', {
    url: seasons(server),
    address: '127.0.0.1',
    keys: organization.apiKeys,
    perSecond: steadyPerSecond,
    seconds,
  });
const health = (server, seconds) =>
  client('steady', {
    url: new URL('/health/live', server.url).href,
    address: '127.0.0.1',
    keys: ['none'],
    perSecond: 10,
    seconds,
  });
const flood = (server, organization, how) =>
  client('flood', { url: seasons(server), address: '127.0.0.2', key: organization.apiKey, ...how });

const ms = (values, share) => (values?.length ? percentile(values, share).toFixed(1) : '–');
const statusesOf = ({ milliseconds, unsent }) =>
  [
    ...Object.entries(milliseconds).map(([status, values]) => `${status}: ${values.length}`),
    ...(unsent > 0 ? [`unsent: ${unsent}`] : []),
  ].join(', ');

/** Returns the requests per second in a closed loop. */
async function capacity(server, organization, connections = 16, seconds = 5) {
  const { milliseconds } = await flood(server, organization, { connections, seconds });
  return (milliseconds['200']?.length ?? 0) / seconds;
}

async function overload(server, organizations) {
  const [organization] = organizations;
  await capacity(server, organization, 16, 3);
  const before = await server.memory();
  const served = await capacity(server, organization);
  const perSecond = Math.round(served * 5);
  const watched = health(server, floodSeconds);
  const resident = [];
  const watch = setInterval(async () => resident.push(await server.resident()), 500);
  const flooded = await flood(server, organization, { connections: 2_000, perSecond, seconds: floodSeconds });
  clearInterval(watch);
  const { milliseconds: healthy, statuses } = await watched;
  await pause(restSeconds);
  const after = await server.memory();
  const servedAfter = await capacity(server, organization);
  const { milliseconds } = flooded;
  return [
    ['served in a closed loop of 16 connections, a second', served.toFixed(0)],
    ['the flood: sent a second, 2,000 connections', perSecond],
    ['responses', statusesOf(flooded)],
    ['of these served, a second', ((milliseconds['200']?.length ?? 0) / floodSeconds).toFixed(0)],
    ['served: p50, p99, longest ms', [0.5, 0.99, 1].map((share) => ms(milliseconds['200'], share)).join(', ')],
    ['rejected: p50, p99, longest ms', [0.5, 0.99, 1].map((share) => ms(milliseconds['503'], share)).join(', ')],
    ['health/live meanwhile: p50, longest ms', `${ms(healthy, 0.5)}, ${ms(healthy, 1)} ${JSON.stringify(statuses)}`],
    ['heap in use before, after, MB', `${before.heap.toFixed(1)}, ${after.heap.toFixed(1)}`],
    [
      'resident before, most, after, MB',
      [before.resident, Math.max(...resident), after.resident].map((value) => value.toFixed(0)).join(', '),
    ],
    [`served ${restSeconds} s later, a second`, servedAfter.toFixed(0)],
  ];
}

/** Measures the steady organization without and with a flood of another one, in turns. */
async function fairness(server, [organization, other], how) {
  const seconds = 5;
  await steady(server, organization, 3);
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const quiet = await steady(server, organization, seconds);
    const flooding = flood(server, other, { seconds: seconds + 1, ...how });
    await pause(0.5);
    const beside = await steady(server, organization, seconds);
    pairs.push({ quiet, beside, flooded: await flooding });
  }
  const figure = (which, share) => median(pairs.map((pair) => percentile(pair[which].milliseconds, share))).toFixed(1);
  const ratio = (share) =>
    median(
      pairs.map(({ quiet, beside }) => percentile(beside.milliseconds, share) / percentile(quiet.milliseconds, share)),
    ).toFixed(2);
  const last = pairs.at(-1);
  return [
    `${figure('quiet', 0.5)} / ${figure('beside', 0.5)}`,
    `${figure('quiet', 0.99)} / ${figure('beside', 0.99)}`,
    ratio(0.5),
    ratio(0.99),
    JSON.stringify(last.beside.statuses),
    statusesOf(last.flooded),
  ];
}

/** Measures requests per second at several numbers of connections, with and without the limit, in alternating order. */
async function throughput(uri) {
  const limited = await startServer(uri);
  const unlimited = await startServer(uri, unbounded);
  try {
    const organization = await createOrganization(limited);
    for (const server of [limited, unlimited]) await capacity(server, organization, 8, 4);
    const rows = [];
    for (const connections of [8, 32, 128]) {
      const pairs = [];
      for (let round = 0; round < rounds * 2; round++) {
        const order = round % 2 === 0 ? [limited, unlimited] : [unlimited, limited];
        const served = new Map();
        for (const server of order) served.set(server, await capacity(server, organization, connections, 3));
        pairs.push([served.get(limited), served.get(unlimited)]);
      }
      const [one, other] = [0, 1].map((index) => median(pairs.map((pair) => pair[index])).toFixed(0));
      rows.push([connections, one, other, median(pairs.map(([a, b]) => a / b)).toFixed(3)]);
    }
    return rows;
  } finally {
    await limited.stop();
    await unlimited.stop();
  }
}

async function withServer(uri, environment, measure) {
  const server = await startServer(uri, environment);
  try {
    return await measure(server, [await createOrganization(server, steadyKeys), await createOrganization(server)]);
  } finally {
    await server.stop();
  }
}

const database = await startDatabase();
try {
  const costs = ['connections', 'requests/s with the limit', 'without', 'ratio'];
  console.log(table(costs, await throughput(database.uri)), '\n');
  let served = 0;
  const bounded = await withServer(database.uri, {}, async (server, organizations) => {
    const rows = await overload(server, organizations);
    served = Number(rows[0][1]);
    return rows;
  });
  const alternative = await withServer(database.uri, unbounded, overload);
  const both = bounded.map((row, place) => [...row, alternative[place][1]]);
  console.log(table(['five times what it can serve', 'with the limit', 'without'], both), '\n');

  const floods = [
    ['128 connections, each with the next request at once', {}, { connections: 128 }],
    ['five times what it can serve, 1,000 connections', {}, { connections: 1_000, perSecond: served * 5 }],
    ['64 connections, limit of 100 a minute', { RATE_LIMIT_PER_MINUTE: '100' }, { connections: 64 }],
  ];
  const rows = [];
  for (const [name, environment, how] of floods) {
    for (const [label, bound] of [
      ['with the limit', {}],
      ['without', unbounded],
    ]) {
      const measured = await withServer(database.uri, { ...environment, ...bound }, (server, organizations) =>
        fairness(server, organizations, how),
      );
      rows.push([name, label, ...measured]);
    }
  }
  const head = ['flood of another organization', 'server', 'p50 quiet/beside ms', 'p99 quiet/beside ms'];
  console.log(table([...head, 'ratio p50', 'ratio p99', 'its responses', "the flood's responses"], rows));
} finally {
  await database.stop();
}
