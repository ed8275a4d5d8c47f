import path from 'node:path';
import { freePort } from '../support/free-port.js';
import { startServer } from '../support/server.js';
import { answering, startProgram } from './processes.js';

const peers = path.resolve(import.meta.dirname, '../peers');
/** The bench's own: it opens nothing that outlives the run. */
export const parseKey = 'bench-rest-key';

/**
 * Who is measured. `speaks` names the requests that one understands: the contract's, or Parse's. `health` is requested until it
 * answers; the hand-written servers have no such page, and listen only when they can serve.
 */
export const contenders = {
  ours: { label: 'this server', speaks: 'contract', health: '/health/ready', launch: launchOurs },
  express: { label: 'Express 5 + driver', speaks: 'contract', health: '/health', launch: launchPeer('express.js') },
  fastify: { label: 'Fastify 5 + driver', speaks: 'contract', health: '/health', launch: launchPeer('fastify.js') },
  /** With the contract's rules in Cloud Code. */
  parse: { label: 'Parse Server 9', speaks: 'parse', health: '/parse/health', launch: launchPeer('parse.js') },
};

/** The database of a contender: the same one, or the one beside it on the same mongod that all Parse Servers share. */
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

/** Without what the other benches load into it. */
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
      // No files where the bench was started.
      PARSE_SERVER_LOGS_FOLDER: 'null',
    });
}
