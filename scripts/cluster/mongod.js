import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';

/** @typedef {{ user: string, pwd: string, authSource: string }} Login */

export const REPLICA_SET = 'cluster';
const DATABASE = 'flagfootball';

/** The settings of docker-compose.yml, which determine how soon a lost primary is replaced. */
const settingsFile = path.resolve(import.meta.dirname, '../../deploy/mongodb/replica-set-settings.json');
/** The least rights with which a server works. */
const roleFile = path.resolve(import.meta.dirname, '../../deploy/mongodb/api-role.json');

const LONGEST_ELECTION_MS = 30_000;
/** A new set waits for its members. */
const LONGEST_WRITE_MS = 10_000;
/** A paused member does not respond at all. */
const LONGEST_RESPONSE_MS = 500;

/**
 * Returns the arguments of mongod for a member that shares its machine with all others.
 * @param {number} port
 * @param {string} dbPath
 * @param {string} keyFile with which the members recognize each other; clients must log in
 */
export function mongodArguments(port, dbPath, keyFile) {
  const settings = {
    '--dbpath': dbPath,
    '--keyFile': keyFile,
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
 * @param {Login} login
 */
export function replicaSetUri(ports, { user, pwd, authSource }) {
  const members = ports.map(hostOf).join(',');
  return `mongodb://${user}:${pwd}@${members}/${DATABASE}?replicaSet=${REPLICA_SET}&authSource=${authSource}`;
}

/**
 * Creates the replica set.
 * @param {number[]} ports
 */
export async function initiate(ports) {
  const settings = JSON.parse(readFileSync(settingsFile, 'utf8'));
  const members = ports.map((port, index) => ({ _id: index, host: hostOf(port) }));
  const config = { _id: REPLICA_SET, members, settings };
  await onMember(ports[0], LONGEST_WRITE_MS, (admin) => admin.command({ replSetInitiate: config }));
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

/**
 * Creates the administrator, as MongoDB lets an unknown client on its machine do, and the user of the servers.
 * @param {number} port of the primary
 * @returns {Promise<{ root: Login, api: Login }>}
 */
export async function createUsers(port) {
  const role = JSON.parse(readFileSync(roleFile, 'utf8'));
  const root = { user: 'root', pwd: randomBytes(12).toString('hex'), authSource: 'admin' };
  const api = { user: 'api', pwd: randomBytes(12).toString('hex'), authSource: DATABASE };
  await onMember(port, LONGEST_WRITE_MS, (admin) =>
    admin.command({ createUser: root.user, pwd: root.pwd, roles: ['root'] }),
  );
  const { role: createRole, ...rights } = role;
  const create = async (_, client) => {
    await client.db(DATABASE).command({ createRole, ...rights });
    await client.db(DATABASE).command({ createUser: api.user, pwd: api.pwd, roles: [createRole] });
  };
  await onMember(port, LONGEST_WRITE_MS, create, { auth: { username: root.user, password: root.pwd } });
  return { root, api };
}

/** Runs a command on one member with a time limit, because some limits of the driver are longer. */
async function onMember(port, milliseconds, run, options = {}) {
  const client = new mongo.MongoClient(`mongodb://${hostOf(port)}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: milliseconds,
    connectTimeoutMS: milliseconds,
    socketTimeoutMS: milliseconds,
    ...options,
  });
  const timer = new AbortController();
  try {
    const timeout = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`${hostOf(port)} does not respond`);
    });
    timeout.catch(() => undefined);
    return await Promise.race([run(client.db('admin'), client), timeout]);
  } finally {
    timer.abort();
    void client.close().catch(() => undefined);
  }
}

function hostOf(port) {
  return `127.0.0.1:${port}`;
}
