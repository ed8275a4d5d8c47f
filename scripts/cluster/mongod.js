import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';

export const REPLICA_SET = 'cluster';
const DATABASE = 'flagfootball';

/** The same as of the members in docker-compose.yml: how soon a lost primary is replaced. */
const settingsFile = path.resolve(import.meta.dirname, '../../deploy/mongodb/replica-set-settings.json');

const LONGEST_ELECTION_MS = 30_000;
/** How long a member is waited for: one that hangs answers nothing at all. */
const LONGEST_ANSWER_MS = 500;

/**
 * mongod's arguments for a member that shares its machine with all the others.
 * @param {number} port
 * @param {string} dbPath
 */
export function mongodArguments(port, dbPath) {
  const settings = {
    '--dbpath': dbPath,
    '--bind_ip': '127.0.0.1',
    '--port': String(port),
    '--replSet': REPLICA_SET,
    '--oplogSize': '128',
    '--wiredTigerCacheSizeGB': '0.25',
    '--slowms': '1000',
  };
  const parameters = [
    'transactionLifetimeLimitSeconds=5',
    'diagnosticDataCollectionEnabled=false',
    // How long one that is stopped in order still tells clients to go elsewhere; the default is 15 s.
    'shutdownTimeoutMillisForSignaledShutdown=1000',
  ];
  return [
    ...Object.entries(settings).flat(),
    ...parameters.flatMap((parameter) => ['--setParameter', parameter]),
    '--nounixsocket',
  ];
}

/**
 * The URI of the replica set with the database's name.
 * @param {number[]} ports of its members
 */
export function replicaSetUri(ports) {
  return `mongodb://${ports.map(hostOf).join(',')}/${DATABASE}?replicaSet=${REPLICA_SET}`;
}

/**
 * Makes the members one replica set.
 * @param {number[]} ports
 */
export async function initiate(ports) {
  const settings = JSON.parse(readFileSync(settingsFile, 'utf8'));
  const members = ports.map((port, index) => ({ _id: index, host: hostOf(port) }));
  const config = { _id: REPLICA_SET, members, settings };
  await onMember(ports[0], 10_000, (admin) => admin.command({ replSetInitiate: config }));
}

/**
 * Which member can be written to: the first that says so.
 * @param {() => number[]} ports of the members that run
 * @returns {Promise<number>} its port
 * @throws Error where there is none within 30 s
 */
export async function primaryPort(ports) {
  for (const late = Date.now() + LONGEST_ELECTION_MS; Date.now() < late; await sleep(50)) {
    const asked = ports().map(async (port) => ((await isPrimary(port)) ? port : Promise.reject(new Error('not it'))));
    // A former primary that went on after hanging believes for a moment that it is still one, so the others are heard, too.
    const primaries = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
    if (primaries.length === 1) return primaries[0].value;
  }
  throw new Error(`No member became the primary within ${LONGEST_ELECTION_MS / 1_000} s`);
}

/**
 * Whether the mongod on a port answers.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function mongodAnswers(port) {
  return hello(port).then(
    () => true,
    () => false,
  );
}

async function isPrimary(port) {
  return (await hello(port)).isWritablePrimary === true;
}

function hello(port) {
  return onMember(port, LONGEST_ANSWER_MS, (admin) => admin.command({ hello: 1 }));
}

/** Asks one member, whatever it is, for no longer than this; past the driver's own limits, of which some are larger. */
async function onMember(port, milliseconds, ask) {
  const client = new mongo.MongoClient(`mongodb://${hostOf(port)}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: milliseconds,
    connectTimeoutMS: milliseconds,
    socketTimeoutMS: milliseconds,
  });
  const late = new AbortController();
  try {
    const tooLate = sleep(milliseconds, undefined, { signal: late.signal }).then(() => {
      throw new Error(`${hostOf(port)} does not answer`);
    });
    tooLate.catch(() => undefined);
    return await Promise.race([ask(client.db('admin')), tooLate]);
  } finally {
    late.abort();
    void client.close().catch(() => undefined);
  }
}

function hostOf(port) {
  return `127.0.0.1:${port}`;
}
