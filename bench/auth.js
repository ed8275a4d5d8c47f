import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';
import { NestFactory } from '@nestjs/core';
import mongoose from 'mongoose';
import { ApiKeyAuthenticator } from '../dist/api-keys/api-key-authenticator.js';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from '../dist/api-keys/api-key-format.js';
import { FollowedChanges } from '../dist/database/followed-changes.js';
import { AppModule } from '../dist/app.module.js';
import { hashSecret } from '../dist/common/secrets/argon2.js';
import { parseConfiguration } from '../dist/config/configuration.js';
import { DatabaseService } from '../dist/database/database.service.js';
import { median, percentile, table } from './support/figures.js';
import { anOrganization, startDatabase, startServer } from './support/server.js';
import { runClient } from './support/worker.js';

/**
 * `npm run bench:auth`: what the check of a key costs, what somebody who floods the server with wrong keys costs others, and
 * what a million different keys leave in memory. Each figure stands beside its alternative, measured in turns.
 */
const livePrefix = 'ffk_live_';
const pairs = Number(process.argv[2] ?? 5);
const garbage = Number(process.argv[3] ?? 1_000_000);

const wrongKeysOf = (keyPrefix, count) =>
  Array.from({ length: count }, () => formatApiKey({ keyPrefix, secret: newSecret() }));
const anUnknownKey = () => formatApiKey({ keyPrefix: newKeyPrefix(livePrefix), secret: newSecret() });

/** Microseconds for each turn of some work, the median of rounds; between them the process may do what else it has to do. */
async function microseconds(turns, work, rounds = 7) {
  const each = [];
  for (let round = 0; round < rounds; round++) {
    for (let rest = 0; rest < 20; rest++) await new Promise((resolve) => setImmediate(resolve));
    const begun = performance.now();
    for (let turn = 0; turn < turns; turn++) await work(turn, round);
    each.push(((performance.now() - begun) * 1_000) / turns);
  }
  return median(each);
}

async function costs(uri, organizationId) {
  const app = await NestFactory.createApplicationContext(AppModule.of(parseConfiguration({ MONGODB_URI: uri })), {
    logger: false,
  });
  const database = app.get(DatabaseService);
  await database.open();
  const authenticator = app.get(ApiKeyAuthenticator);
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  const records = client.db().collection('apiKeys');

  // Keys enough for each first check to be one.
  const keys = [];
  const now = new Date();
  for (let i = 0; i < 141; i++) {
    const [keyPrefix, secret] = [newKeyPrefix(livePrefix), newSecret()];
    keys.push(formatApiKey({ keyPrefix, secret }));
    const kept = { secretHash: await hashSecret(secret), secretTag: secretTagOf(secret) };
    const organization = new mongoose.Types.ObjectId(organizationId);
    const record = {
      name: 'Bench',
      keyPrefix,
      ...kept,
      status: 'active',
      organizationId: organization,
      createdBy: organization,
    };
    await records.insertOne({ ...record, createdAt: now, updatedAt: now });
  }
  const [key] = keys;
  const { keyPrefix } = await records.findOne({ name: 'Bench' });
  const digests = client.db().collection('digests');
  const digestOf = (presented) => createHash('sha256').update(presented).digest('hex');
  await digests.createIndex({ digest: 1 }, { unique: true });
  await digests.insertOne({ digest: digestOf(key), organizationId });

  const first = await microseconds(20, (turn, round) => authenticator.identify(keys[1 + round * 20 + turn]));
  const readEachTime = await microseconds(200, () => authenticator.identify(key));
  const digest = await microseconds(200, () => digests.findOne({ digest: digestOf(key) }));
  const wrongRead = await microseconds(200, () =>
    authenticator.identify(formatApiKey({ keyPrefix, secret: newSecret() })),
  );
  app.get(FollowedChanges).start();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const remembered = await microseconds(5_000, () => authenticator.identify(key));
  const wrong = await microseconds(2_000, () =>
    authenticator.identify(formatApiKey({ keyPrefix, secret: newSecret() })),
  );
  const misspelt = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  const malformed = await microseconds(5_000, () => authenticator.identify(misspelt));

  await client.close();
  await app.close();
  await database.close();
  const row = (what, value) => [what, value.toFixed(1), (value / digest).toFixed(3)];
  return table(
    ['check of a key', 'microseconds', 'of a look-up by SHA-256'],
    [
      row('first sight (argon2)', first),
      row('remembered', remembered),
      row('secret remembered, record read (no change stream)', readEachTime),
      row('alternative: look-up by SHA-256 with the bare driver', digest),
      row('wrong secret of a remembered key', wrong),
      row('wrong secret, record read', wrongRead),
      row('wrong checksum', malformed),
    ],
  );
}

const client = (workerData) => runClient('steady-client.js', workerData);

/** Valid traffic alone and beside a flood, in turns. */
async function flood(server, { apiKey, keyPrefix }) {
  const url = new URL('/v1/public-api/seasons', server.url).href;
  const seconds = 8;
  const valid = () => client({ url, address: '127.0.0.1', keys: [apiKey], perSecond: 100, seconds });
  const attack = () =>
    client({ url, address: '127.0.0.2', keys: wrongKeysOf(keyPrefix, 4_000), perSecond: 500, seconds });
  await valid();
  const rounds = [];
  for (let pair = 0; pair < pairs; pair++) {
    const alone = await valid();
    const [beside, attacked] = await Promise.all([valid(), attack()]);
    rounds.push({ alone, beside, attacked });
  }
  const figure = (which, share) => median(rounds.map((round) => percentile(round[which].milliseconds, share)));
  const ratio = (share) =>
    median(
      rounds.map(({ alone, beside }) => percentile(beside.milliseconds, share) / percentile(alone.milliseconds, share)),
    );
  const statuses = (which) => JSON.stringify(rounds.map((round) => round[which].statuses).at(-1));
  return table(
    ['100 valid requests a second', 'p50 ms', 'p99 ms', 'answers in the last round'],
    [
      ['alone', figure('alone', 0.5).toFixed(2), figure('alone', 0.99).toFixed(2), statuses('alone')],
      [
        'beside 500 wrong secrets a second',
        figure('beside', 0.5).toFixed(2),
        figure('beside', 0.99).toFixed(2),
        statuses('beside'),
      ],
      [
        `median ratio of ${pairs} pairs`,
        ratio(0.5).toFixed(2),
        ratio(0.99).toFixed(2),
        `flood: ${statuses('attacked')}`,
      ],
    ],
  );
}

/** Sends so many different keys, each once, over some connections at once. */
async function present(server, count, makeKey) {
  const connections = 16;
  const atOnce = 20;
  let left = count;
  const one = async () => {
    const socket = net.connect(Number(server.url.port), server.url.hostname);
    let answered = 0;
    let wake = () => undefined;
    socket.on('data', (chunk) => {
      answered += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
      wake();
    });
    while (left > 0) {
      const batch = Math.min(atOnce, left);
      left -= batch;
      answered = 0;
      const request = () =>
        `GET /v1/public-api/seasons HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${makeKey()}\r\n\r\n`;
      socket.write(Array.from({ length: batch }, request).join(''));
      while (answered < batch) await new Promise((resolve) => (wake = resolve));
    }
    socket.end();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** What different keys leave in memory: made up ones, and wrong secrets of a right one. */
async function memory(server, { keyPrefix }) {
  let turn = 0;
  const kinds = [
    anUnknownKey,
    () => formatApiKey({ keyPrefix, secret: newSecret() }),
    () => `${livePrefix}${randomBytes(25).toString('hex')}`,
  ];
  const makeKey = () => kinds[turn++ % kinds.length]();
  const rows = [];
  const look = async (after) => {
    const { heap, resident } = await server.memory();
    rows.push([after, heap.toFixed(1), resident.toFixed(1)]);
    return { heap, resident };
  };
  await look('before');
  await present(server, garbage / 10, makeKey);
  const warm = await look(`after ${garbage / 10}`);
  for (const part of [1, 2, 3]) {
    await present(server, (garbage * 3) / 10, makeKey);
    await look(`after ${garbage / 10 + (part * garbage * 3) / 10}`);
  }
  const last = await look('at rest');
  const growth = [last.heap - warm.heap, last.resident - warm.resident].map((megabytes) => megabytes.toFixed(1));
  rows.push([`growth since the first ${garbage / 10}`, ...growth]);
  return table(['different garbage keys', 'heap in use, MB', 'resident, MB'], rows);
}

const database = await startDatabase();
const server = await startServer(database.uri);
try {
  const organization = await anOrganization(server);
  console.log(await costs(database.uri, organization.id), '\n');
  if (pairs > 0) console.log(await flood(server, organization), '\n');
  console.log(await memory(server, organization));
} finally {
  await server.stop();
  await database.stop();
}
