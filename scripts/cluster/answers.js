import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

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
