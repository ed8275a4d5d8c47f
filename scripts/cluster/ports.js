import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';

/**
 * Below the ports that a system gives to outgoing connections: on one of those a client that tries a stopped server's port again and
 * again could in the end be connected with itself, and the server could not have its port back.
 */
const FIRST = 12_000;
const LAST = 32_000;

const given = new Set();

/**
 * A port of 127.0.0.1 on which nobody listens, and which this process has not been given before.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port) {
  const server = net.createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
