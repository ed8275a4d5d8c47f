import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { apiKeyModel, apiKeySchema } from '../../dist/api-keys/api-key.schema.js';
import { newKeyPrefix, newSecret } from '../../dist/api-keys/api-key-format.js';
import { PresentedKeysRepository } from '../../dist/api-keys/presented-keys.repository.js';
import { SecretChecks } from '../../dist/api-keys/secret-checks.js';
import { hashSecret, verifySecret } from '../../dist/common/secrets/argon2.js';
import { ChangeWatch } from '../../dist/database/change-watch.js';
import { driverOptions } from '../../dist/database/connection-options.js';
import { RequestCounter } from '../../dist/rate-limit/request-counter.js';
import { median } from '../support/figures.js';
import { startRedis } from '../support/redis.js';
import { startDatabase } from '../support/server.js';
import { keyCaches, presentRecord } from './key-caches.js';

/**
 * `npm run bench:scaling:measure`: the small figures that the simulation begins with and `npm run bench` does not have: what one
 * argon2 check, one count in Redis, one read of a key and one follower of changes cost, in processor time, and what one
 * remembered key takes in memory. Writes them into measured.json; `-- keys`, `redis` or `database` measures a part. Needs a
 * redis-server on the PATH; about a minute.
 */
const file = path.join(import.meta.dirname, 'measured.json');
const ticksPerSecond = 100;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Processor seconds of a process until now. */
async function processorSeconds(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

async function spent(pid, work) {
  const before = await processorSeconds(pid);
  await work();
  return (await processorSeconds(pid)) - before;
}

async function argon2Milliseconds() {
  const hash = await hashSecret(newSecret());
  const checks = 20;
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const begun = process.cpuUsage();
    for (let check = 0; check < checks; check++) await verifySecret(hash, newSecret());
    const { user, system } = process.cpuUsage(begun);
    rounds.push((user + system) / 1_000 / checks);
  }
  return median(rounds);
}

async function redisMicroseconds() {
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  const counter = new RequestCounter({ redisUrl: redis.url, warn: () => undefined, info: () => undefined });
  await counter.onModuleInit();
  const look = async () => {
    const info = await admin.info('everything');
    const of = (pattern) => Number(pattern.exec(info)?.[1] ?? 0);
    const calls = of(/cmdstat_evalsha:calls=(\d+)/);
    return { calls, seconds: of(/used_cpu_user:([\d.]+)/) + of(/used_cpu_sys:([\d.]+)/) };
  };
  const atOnce = 50;
  const hit = (_none, index) => counter.hit('bench', `key ${index}`, 60);
  const hits = async (count) => {
    for (let done = 0; done < count; done += atOnce) await Promise.all(Array.from({ length: atOnce }, hit));
  };
  await hits(5_000);
  const rounds = [];
  while (rounds.length < 5) {
    const before = await look();
    await hits(20_000);
    const after = await look();
    // On a busy machine an answer may be late, and then the process counts by itself for a while.
    const calls = after.calls - before.calls;
    if (calls > 10_000) rounds.push(((after.seconds - before.seconds) * 1e6) / calls);
    else await wait(1_000);
  }
  counter.onApplicationShutdown();
  admin.disconnect();
  await redis.stop();
  return median(rounds);
}

/** What one presented key costs mongod to read, with its organization and creator, in microseconds. */
async function keyReadMicroseconds(connection, pid) {
  const model = connection.model(apiKeyModel, apiKeySchema);
  await model.createIndexes();
  const records = Array.from({ length: 1_000 }, () => presentRecord(newKeyPrefix('ffk_live_')));
  const ownOf = ({ organization, _id, keyPrefix, secretHash, status }) => {
    return { _id, keyPrefix, secretHash, status, organizationId: organization._id, name: 'Bench' };
  };
  await connection.collection('apiKeys').insertMany(records.map(ownOf));
  await connection
    .collection('organizations')
    .insertMany(records.map(({ organization, creator }) => ({ ...organization, creatorId: creator._id })));
  await connection.collection('users').insertMany(records.map(({ creator }) => ({ ...creator, name: 'Bench' })));
  const keys = new PresentedKeysRepository(model);
  const read = async (count) => {
    for (let done = 0; done < count; done += 4) {
      await Promise.all([0, 1, 2, 3].map((next) => keys.findPresented(records[(done + next) % 1_000].keyPrefix)));
    }
  };
  await read(1_000);
  const rounds = [];
  for (let round = 0; round < 3; round++) rounds.push((await spent(pid, () => read(2_000))) * 500);
  return median(rounds);
}

/** What followers of the changes cost mongod: each one's second at rest, and each write that each one is past, in microseconds. */
async function changeMicroseconds(uri, connection, pid) {
  const followers = 20;
  const seconds = 5;
  const writes = 2_000;
  const games = connection.collection('schedules');
  const write = async () => {
    for (let done = 0; done < writes; done += 4) {
      await Promise.all(
        [0, 1, 2, 3].map((next) => games.insertOne({ organizationId: next, done, text: 'x'.repeat(600) })),
      );
    }
  };
  const nothing = { changed: () => undefined, lost: () => undefined, told: () => undefined };
  const follow = () => {
    const client = new mongoose.mongo.MongoClient(uri, { ...driverOptions, minPoolSize: 0, maxPoolSize: 1 });
    return new ChangeWatch(client, ['apiKeys', 'organizations', 'users'], nothing);
  };
  const turn = async () => {
    const idle = (await spent(pid, () => wait(seconds * 1_000))) / seconds;
    const begun = performance.now();
    const busy = await spent(pid, write);
    const elapsed = (performance.now() - begun) / 1_000;
    return { idle, perWrite: (busy - idle * elapsed) / writes };
  };
  await write();
  const [rest, past] = [[], []];
  for (let pair = 0; pair < 3; pair++) {
    const alone = await turn();
    const watches = Array.from({ length: followers }, follow);
    await wait(1_500);
    const followed = await turn();
    await Promise.all(watches.map((watch) => watch.close()));
    rest.push(((followed.idle - alone.idle) * 1e6) / followers);
    past.push(((followed.perWrite - alone.perWrite) * 1e6) / followers);
  }
  return { rest: median(rest), past: median(past) };
}

/** What so much of something takes in memory, in bytes each; `make` gets a number and gives what is kept of it. */
async function bytesOfEach(count, make, keep) {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc');
  const used = async () => {
    for (let turn = 0; turn < 4; turn++) {
      collect();
      await wait(20);
    }
    return process.memoryUsage().heapUsed;
  };
  const before = await used();
  for (let index = 0; index < count; index++) await keep(make());
  return Math.round(((await used()) - before) / count);
}

/** What one remembered key takes in all that remembers something of it, and what its checked secret alone takes. */
async function bytesPerKey() {
  const count = 10_000;
  const caches = keyCaches();
  const key = await bytesOfEach(
    count,
    () => newKeyPrefix('ffk_live_'),
    async (keyPrefix) => {
      const record = presentRecord(keyPrefix);
      for (let sight = 0; sight < 3; sight++) await caches.present(keyPrefix, record);
    },
  );
  const checks = new SecretChecks({ verifyKey: () => Promise.resolve(true) });
  const secret = await bytesOfEach(
    count,
    () => newSecret(),
    async (text) => {
      const fingerprint = checks.fingerprintOf(text);
      await checks.judge(fingerprint, { keyPrefix: '', secret: text }, presentRecord(''));
    },
  );
  // Both are held until here.
  await caches.present('end', presentRecord('end'));
  await checks.judge('end', { keyPrefix: '', secret: '' }, presentRecord(''));
  return { key, secret };
}

async function ofKeys() {
  const { key, secret } = await bytesPerKey();
  return { bytesPerKey: key, bytesPerSecret: secret, argon2Milliseconds: await argon2Milliseconds() };
}

async function ofDatabase() {
  const database = await startDatabase();
  const connection = await mongoose.createConnection(database.uri, driverOptions).asPromise();
  try {
    const { pid } = await connection.db.admin().serverStatus();
    const keyRead = await keyReadMicroseconds(connection, Number(pid));
    const { rest, past } = await changeMicroseconds(database.uri, connection, Number(pid));
    return {
      keyReadMicroseconds: keyRead,
      followerMicrosecondsPerSecond: rest,
      followerMicrosecondsPerWrite: past,
    };
  } finally {
    await connection.close();
    await database.stop();
  }
}

const parts = {
  keys: ofKeys,
  redis: async () => ({ redisMicroseconds: await redisMicroseconds() }),
  database: ofDatabase,
};
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const figures = {};
for (const name of chosen) Object.assign(figures, await parts[name]());
for (const [name, value] of Object.entries(figures)) figures[name] = Number(value.toPrecision(3));
console.log(figures);
const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
const machine = `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.versions.node}`;
await writeFile(file, `${JSON.stringify({ ...before, ...figures, machine }, null, 2)}\n`);
