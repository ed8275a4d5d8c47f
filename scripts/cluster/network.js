import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
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

/** Whoever does not answer so soon does not answer. */
const LONGEST_ANSWER_MS = 2_000;

/**
 * Whether a server is ready for requests.
 * @param {string} url
 * @returns {Promise<boolean>}
 */
export async function serverAnswers(url) {
  return (await statusOf(http, `${url}/health/ready`)) === 200;
}

/**
 * Whether the front passes requests on to a server that is ready.
 * @param {string} url
 * @returns {Promise<boolean>}
 */
export async function frontAnswers(url) {
  // Its certificate comes from an authority that it has made itself a moment ago.
  return (await statusOf(https, `${url}/health/ready`, { rejectUnauthorized: false })) === 200;
}

/**
 * Whether a Redis answers a PING.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function redisAnswers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(LONGEST_ANSWER_MS, () => done(false));
    socket.once('data', (text) => done(text.toString().startsWith('+PONG'))).once('error', () => done(false));
  });
}

/** The status of an answer; undefined where none comes. */
function statusOf(protocol, url, options = {}) {
  return new Promise((resolve) => {
    const request = protocol.get(url, { ...options, agent: false, timeout: LONGEST_ANSWER_MS }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => request.destroy()).once('error', () => resolve(undefined));
  });
}
