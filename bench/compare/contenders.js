import path from 'node:path';
import { freePort } from '../support/free-port.js';
import { startServer } from '../support/server.js';
import { answering, startProgram } from './processes.js';

const peers = path.resolve(import.meta.dirname, '../peers');
/** For the benchmark only. */
export const parseKey = 'bench-rest-key';

/**
 * The measured servers. `speaks`: the protocol, that of the contract or of Parse. `health` is requested until it
 * responds; the hand-written servers have no such route, and listen only when they are ready.
 */
export const contenders = {
  ours: { label: 'this server', speaks: 'contract', health: '/health/ready', launch: launchOurs },
  nest: {
    label: 'NestJS + Mongoose',
    speaks: 'contract',
    health: '/health',
    launch: launchPeer('nest/dist/nest/main.js'),
  },
  express: {
    label: 'Express 5 + driver (the limit)',
    speaks: 'contract',
    health: '/health',
    launch: launchPeer('express.js'),
  },
  fastify: { label: 'Fastify 5 + driver', speaks: 'contract', health: '/health', launch: launchPeer('fastify.js') },
  /** With the rules of the contract in Cloud Code. */
  parse: { label: 'Parse Server 9', speaks: 'parse', health: '/parse/health', launch: launchPeer('parse.js') },
};

/** Returns the URI of a contender's database: all Parse Servers share a separate one on the same mongod. */
export function databaseOf(name, uri) {
  if (contenders[name].speaks !== 'parse') return uri;
  const own = new URL(uri);
  own.pathname = '/parse';
  return own.href;
}

/** Starts a contender: `{name, label, speaks, url, pid, ready, stop}`, `ready` in milliseconds from its start. */
export async function startContender(name, uri) {
  const { label, speaks, health, launch } = contenders[name];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  const launched = launch(databaseOf(name, uri), port);
  try {
    const [{ pid, stop }, ready] = await Promise.all([launched, answering(new URL(health, url), begun)]);
    return { name, label, speaks, url, pid, ready, stop };
  } catch (error) {
    await launched.then(
      ({ stop }) => stop(),
      () => undefined,
    );
    throw error;
  }
}

/** Without the preloads of the other benchmarks. */
function launchOurs(uri, port) {
  return startServer(uri, { PORT: String(port), NODE_OPTIONS: '' });
}

function launchPeer(file) {
  return async (uri, port) =>
    startProgram(path.join(peers, file), {
      MONGODB_URI: uri,
      PORT: String(port),
      PARSE_KEY: parseKey,
      PARSE_MASTER_KEY: `${parseKey}-master`,
      // Writes no files to the working directory.
      PARSE_SERVER_LOGS_FOLDER: 'null',
    });
}
