import { RequestCounter } from '../dist/rate-limit/request-counter.js';
import { median, percentile, table } from './support/figures.js';
import { startRedis } from './support/redis.js';
import { anOrganization, startDatabase, startServer } from './support/server.js';
import { runClient } from './support/worker.js';

/**
 * `npm run bench:limits`: what a count that replicas share adds to a request. The server with Redis stands beside the same
 * server that counts in its process, measured in pairs, turn by turn; and the counter beside itself without Redis, and with a
 * Redis that hangs. `node bench/limits.js <pairs>`; needs a redis-server on the PATH; under three minutes.
 */
const pairs = Number(process.argv[2] ?? 5);
const seconds = 4;

function aCounter(redisUrl) {
  return new RequestCounter({ redisUrl, warn: () => undefined, info: () => undefined });
}

/** Microseconds for each hit, the median of rounds; `atOnce` hits wait for their answers together. */
async function microseconds(counter, hits, atOnce, rounds = 7) {
  const each = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    for (let hit = 0; hit < hits; hit += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, index) => counter.hit('bench', `key ${index % 20}`, 60)));
    }
    each.push(((performance.now() - begun) * 1_000) / hits);
  }
  return median(each);
}

async function costs(redis) {
  const [alone, shared] = [aCounter(undefined), aCounter(redis.url)];
  await alone.onModuleInit();
  await shared.onModuleInit();
  const inProcess = [await microseconds(alone, 20_000, 1), await microseconds(alone, 20_000, 50)];
  const withRedis = [await microseconds(shared, 2_000, 1), await microseconds(shared, 10_000, 50)];
  redis.hang();
  // The first waits, until the breaker opens; from then on one hit in a second tries again.
  const first = [];
  for (let hit = 0; hit < 3; hit++) {
    const begun = performance.now();
    await shared.hit('bench', 'key', 60);
    first.push(performance.now() - begun);
  }
  const hung = [await microseconds(shared, 20_000, 1, 3), await microseconds(shared, 20_000, 50, 3)];
  redis.goOn();
  shared.onApplicationShutdown();
  alone.onApplicationShutdown();
  const row = (what, figures) => [what, ...figures.map((figure) => figure.toFixed(1))];
  return [
    table(
      ['one hit, microseconds', 'one after the other', '50 at once, each'],
      [row('in the process', inProcess), row('in Redis', withRedis), row('Redis hangs, after the first three', hung)],
    ),
    `The first three hits on a Redis that hangs took ${first.map((figure) => figure.toFixed(0)).join(', ')} ms.`,
  ].join('\n\n');
}

/** One turn on one server: as many requests as it takes, and 100 a second. */
async function turn(server, key) {
  const url = new URL('/v1/public-api/seasons', server.url).href;
  const busy = await runClient('busy-client.js', { url, key, connections: 8, seconds });
  const steady = await runClient('steady-client.js', {
    url,
    address: '127.0.0.1',
    keys: [key],
    perSecond: 100,
    seconds,
  });
  return { busy, steady };
}

async function onServers(uri, redis) {
  const servers = { alone: await startServer(uri), shared: await startServer(uri, { REDIS_URL: redis.url }) };
  try {
    const { apiKey } = await anOrganization(servers.alone);
    await turn(servers.alone, apiKey);
    await turn(servers.shared, apiKey);
    const rounds = [];
    for (let pair = 0; pair < pairs; pair++) {
      // Each is first as often as the other.
      const order = pair % 2 === 0 ? ['alone', 'shared'] : ['shared', 'alone'];
      const round = {};
      for (const which of order) round[which] = await turn(servers[which], apiKey);
      rounds.push(round);
    }
    redis.hang();
    const url = new URL('/v1/public-api/seasons', servers.shared.url).href;
    const hung = await runClient('steady-client.js', {
      ...{ url, address: '127.0.0.1', keys: [apiKey] },
      ...{ perSecond: 100, seconds: 6 },
    });
    redis.goOn();
    return report(rounds, hung);
  } finally {
    await servers.alone.stop();
    await servers.shared.stop();
  }
}

function report(rounds, hung) {
  const figures = {
    'requests a second, 8 connections': ({ busy }) => busy.perSecond,
    'p50 ms, 8 connections': ({ busy }) => percentile(busy.milliseconds, 0.5),
    'p99 ms, 8 connections': ({ busy }) => percentile(busy.milliseconds, 0.99),
    'p50 ms at 100 a second': ({ steady }) => percentile(steady.milliseconds, 0.5),
    'p99 ms at 100 a second': ({ steady }) => percentile(steady.milliseconds, 0.99),
  };
  const rows = Object.entries(figures).map(([what, figure]) => {
    const of = (which) => median(rounds.map((round) => figure(round[which])));
    const ratio = median(rounds.map(({ alone, shared }) => figure(shared) / figure(alone)));
    return [what, of('alone').toFixed(2), of('shared').toFixed(2), ratio.toFixed(3)];
  });
  const statuses = rounds.flatMap(({ alone, shared }) => [alone, shared].map(({ busy }) => Object.keys(busy.statuses)));
  const late = [0.5, 0.99, 1].map((share) => percentile(hung.milliseconds, share).toFixed(2));
  return [
    table(['GET /seasons', 'in the process', 'in Redis', `median ratio of ${rounds.length} pairs`], rows),
    `Answers: ${[...new Set(statuses.flat())].join(', ')}.`,
    `At 100 a second while Redis hangs: p50 ${late[0]} ms, p99 ${late[1]} ms, longest ${late[2]} ms; answers ${JSON.stringify(hung.statuses)}.`,
  ].join('\n\n');
}

const redis = await startRedis();
try {
  console.log(await costs(redis), '\n');
  const database = await startDatabase();
  try {
    console.log(await onServers(database.uri, redis));
  } finally {
    await database.stop();
  }
} finally {
  await redis.stop();
}
