import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { percentile, table } from './support/figures.js';
import { hasRedis, startRedis } from './support/redis.js';
import { admin, anOrganization, logIn, startDatabase, startServer } from './support/server.js';
import { SoakTraffic } from './support/soak-traffic.js';

/**
 * `npm run soak`: one server, as in production and with Redis where there is one, under a steady mixed load at half of what it
 * can serve, for ten minutes (`node bench/soak.js <seconds>`). Told for each tenth of the time: latencies, memory once the garbage is collected,
 * the event loop's delay and sockets; and at the end how memory grew, by least squares. The database's documents grow meanwhile.
 */
const seconds = Number(process.argv[2] ?? 600);
const periods = 10;
const organizations = 8;
const keysEach = 12;
/** More than this, in megabytes an hour, is no noise of ten minutes. */
const flatHeap = 30;

const redis = hasRedis() ? await startRedis() : undefined;
const database = await startDatabase();
const shared = redis === undefined ? {} : { REDIS_URL: redis.url };
const client = await new mongoose.mongo.MongoClient(database.uri).connect();
const documents = async () => {
  const collections = await client.db().collections();
  const counts = await Promise.all(collections.map((collection) => collection.estimatedDocumentCount()));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Organizations with a season, teams and players, and with keys enough that none meets its limit. */
async function arrange(server) {
  const token = await logIn(server);
  const places = [];
  for (let index = 0; index < organizations; index++) {
    const { id, apiKey } = await anOrganization(server);
    const season = await admin(server, token, 'POST', '/seasons', {
      ...{ name: 'Spring', organizationId: id },
      ...{ startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' },
    });
    const keys = [apiKey];
    while (keys.length < keysEach) keys.push((await aKey(server, token, id)).apiKey);
    const teams = [];
    for (const name of ['Hawks', 'Foxes', 'Owls']) {
      const body = { name, season: season._id };
      teams.push((await admin(server, apiKey, 'POST', '/v1/public-api/teams', body))._id);
    }
    places.push({ id, keys, teams });
  }
  const greedy = (await aKey(server, token, places[0].id)).apiKey;
  return { places, greedy };
}

function aKey(server, token, organizationId) {
  return admin(server, token, 'POST', '/api-keys', { name: `Soak ${randomUUID()}`, organizationId });
}

/** How many requests a second the mix gets at most. */
async function capacity(arranged) {
  const server = await startServer(database.uri, shared);
  try {
    const traffic = new SoakTraffic(server.url, arranged);
    const wanted = Math.min(10, seconds / 6) * 1_000;
    // First every key is seen, which takes argon2 each.
    await traffic.busy(16, wanted);
    traffic.take();
    const begun = performance.now();
    await traffic.busy(16, wanted);
    return (traffic.take().milliseconds.length * 1_000) / (performance.now() - begun);
  } finally {
    await server.stop();
  }
}

async function soak(arranged, perSecond) {
  // The keys together may do all of it, and the greedy one less than it sends.
  const limit = Math.max(10, Math.ceil((perSecond * 60) / (organizations * keysEach)));
  const server = await startServer(database.uri, { ...shared, RATE_LIMIT_PER_MINUTE: String(limit) });
  const rows = [];
  try {
    // Each server has a secret of its own for its tokens.
    const token = await logIn(server);
    const newKey = () => aKey(server, token, arranged.places[0].id);
    const traffic = new SoakTraffic(server.url, arranged);
    const sending = traffic.steady(perSecond, seconds * 1_000, newKey);
    const begun = performance.now();
    for (let period = 1; period <= periods; period++) {
      const due = begun + (period * seconds * 1_000) / periods;
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      const state = await server.memory();
      rows.push({ at: (performance.now() - begun) / 1_000, ...traffic.take(), ...state, documents: await documents() });
    }
    await sending;
    const rest = traffic.take();
    return { rows, problems: [...rows, rest].flatMap((row) => row.problems), limit };
  } finally {
    console.log(`The server ended with ${await server.stop()}.\n`);
  }
}

/** Megabytes an hour, by least squares over the periods after the first fifth. */
function slope(rows, field) {
  const late = rows.slice(periods / 5);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(late.map(({ at }) => at)), mean(late.map((row) => row[field]))];
  const above = late.reduce((sum, row) => sum + (row.at - x) * (row[field] - y), 0);
  return (above / late.reduce((sum, row) => sum + (row.at - x) ** 2, 0)) * 3_600;
}

function report({ rows, problems, limit }, perSecond) {
  const lines = rows.map((row) => [
    ...[row.at.toFixed(0), row.milliseconds.length, row.problems.length],
    ...[0.5, 0.99].map((share) => percentile(row.milliseconds, share).toFixed(1)),
    ...[row.heap.toFixed(1), row.resident.toFixed(1), row.loop.p99.toFixed(1), row.loop.max.toFixed(0)],
    ...[row.sockets, row.documents],
  ]);
  const head = [
    'second',
    'requests',
    'errors',
    'p50 ms',
    'p99 ms',
    'heap MB',
    'resident MB',
    'loop p99 ms',
    'loop max ms',
  ];
  const statuses = {};
  for (const row of rows)
    for (const [kind, count] of Object.entries(row.answers)) statuses[kind] = (statuses[kind] ?? 0) + count;
  const [heap, resident] = [slope(rows, 'heap'), slope(rows, 'resident')];
  const isLong = seconds >= 300;
  const good = problems.length === 0 && (!isLong || heap < flatHeap);
  return {
    good,
    text: [
      `${perSecond.toFixed(0)} requests a second, half of what the server can; ${redis ? 'with' : 'without'} Redis; limit ${limit} a minute.`,
      table([...head, 'sockets', 'documents'], lines),
      `Answers: ${JSON.stringify(statuses)}`,
      ...(problems.length > 0 ? [`Not expected: ${[...new Set(problems)].slice(0, 10).join('; ')}`] : []),
      `After the first fifth the heap grows by ${heap.toFixed(1)} MB an hour, resident memory by ${resident.toFixed(1)}` +
        `${isLong ? '' : ' (too short a time to believe it)'}; the database grew to ${rows.at(-1).documents} documents meanwhile.`,
      good ? 'Verdict: good' : 'Verdict: NOT good',
    ].join('\n\n'),
  };
}

try {
  const first = await startServer(database.uri, shared);
  const arranged = await arrange(first).finally(() => first.stop());
  const perSecond = (await capacity(arranged)) / 2;
  const outcome = report(await soak(arranged, perSecond), perSecond);
  console.log(outcome.text);
  process.exitCode = outcome.good ? 0 : 1;
} finally {
  await client.close();
  await database.stop();
  await redis?.stop();
}
