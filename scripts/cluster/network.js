import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

/**
 * Below the ports of outgoing connections. On one of those, a client that retries the port of a stopped server could
 * connect to itself, and the server could not bind its port again.
 */
const FIRST = 12_000;
const LAST = 32_000;

const used = new Set();

/**
 * Returns a free port of 127.0.0.1 that this process has not received before.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (used.has(port) || !(await isFree(port))) continue;
    used.add(port);
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

const LONGEST_RESPONSE_MS = 2_000;

/**
 * Returns true if a server is ready.
 * @param {string} url
 * @returns {Promise<boolean>}
 */
export async function isServerReady(url) {
  return (await statusOf(http, `${url}/health/ready`)) === 200;
}

/**
 * Returns true if the proxy reaches a server that is ready.
 * @param {string} url
 * @returns {Promise<boolean>}
 */
export async function isProxyReady(url) {
  // It does not publish health checks, and forwards only to ready servers. Its certificate is signed by an authority that Caddy has just created.
  return (await statusOf(https, `${url}/openapi.json`, { rejectUnauthorized: false })) === 200;
}

/**
 * Returns true if Redis responds to a PING.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isRedisReady(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const done = (isReady) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(LONGEST_RESPONSE_MS, () => done(false));
    socket.once('data', (text) => done(text.toString().startsWith('+PONG'))).once('error', () => done(false));
  });
}

/** Returns the status of the response; undefined if there is none. */
function statusOf(protocol, url, options = {}) {
  return new Promise((resolve) => {
    const request = protocol.get(url, { ...options, agent: false, timeout: LONGEST_RESPONSE_MS }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => request.destroy()).once('error', () => resolve(undefined));
  });
}
