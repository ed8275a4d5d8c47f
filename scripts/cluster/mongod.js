import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';

export const REPLICA_SET = 'cluster';
const DATABASE = 'flagfootball';

/** The settings of docker-compose.yml, which determine how soon a lost primary is replaced. */
const settingsFile = path.resolve(import.meta.dirname, '../../deploy/mongodb/replica-set-settings.json');

const LONGEST_ELECTION_MS = 30_000;
/** A paused member does not respond at all. */
const LONGEST_RESPONSE_MS = 500;

/**
 * Returns the arguments of mongod for a member that shares its machine with all others.
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
    // How long a stopping member still redirects clients; the default is 15 s.
    'shutdownTimeoutMillisForSignaledShutdown=1000',
  ];
  return [
    ...Object.entries(settings).flat(),
    ...parameters.flatMap((parameter) => ['--setParameter', parameter]),
    '--nounixsocket',
  ];
}

/**
 * Returns the URI of the replica set with the database name.
 * @param {number[]} ports of its members
 */
export function replicaSetUri(ports) {
  return `mongodb://${ports.map(hostOf).join(',')}/${DATABASE}?replicaSet=${REPLICA_SET}`;
}

/**
 * Creates the replica set.
 * @param {number[]} ports
 */
export async function initiate(ports) {
  const settings = JSON.parse(readFileSync(settingsFile, 'utf8'));
  const members = ports.map((port, index) => ({ _id: index, host: hostOf(port) }));
  const config = { _id: REPLICA_SET, members, settings };
  await onMember(ports[0], 10_000, (admin) => admin.command({ replSetInitiate: config }));
}

/**
 * Waits for a primary.
 * @param {() => number[]} ports of the running members
 * @returns {Promise<number>} the port of the primary
 * @throws Error if there is none within 30 s
 */
export async function primaryPort(ports) {
  for (const deadline = Date.now() + LONGEST_ELECTION_MS; Date.now() < deadline; await sleep(50)) {
    const checks = ports().map(async (port) => ((await isPrimary(port)) ? port : Promise.reject(new Error('not it'))));
    // Checks all members: a former primary that was paused reports for a moment that it is still the primary.
    const primaries = (await Promise.allSettled(checks)).filter(({ status }) => status === 'fulfilled');
    if (primaries.length === 1) return primaries[0].value;
  }
  throw new Error(`No member became the primary within ${LONGEST_ELECTION_MS / 1_000} s`);
}

/**
 * Returns true if the mongod on a port responds.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isMongodReady(port) {
  return hello(port).then(
    () => true,
    () => false,
  );
}

async function isPrimary(port) {
  return (await hello(port)).isWritablePrimary === true;
}

function hello(port) {
  return onMember(port, LONGEST_RESPONSE_MS, (admin) => admin.command({ hello: 1 }));
}

/** Runs a command on one member with a time limit, because some limits of the driver are longer. */
async function onMember(port, milliseconds, run) {
  const client = new mongo.MongoClient(`mongodb://${hostOf(port)}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: milliseconds,
    connectTimeoutMS: milliseconds,
    socketTimeoutMS: milliseconds,
  });
  const timer = new AbortController();
  try {
    const timeout = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`${hostOf(port)} does not respond`);
    });
    timeout.catch(() => undefined);
    return await Promise.race([run(client.db('admin')), timeout]);
  } finally {
    timer.abort();
    void client.close().catch(() => undefined);
  }
}

function hostOf(port) {
  return `127.0.0.1:${port}`;
}
