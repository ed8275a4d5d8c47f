import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A worker that sends the next request as soon as the last one is answered, over so many connections for so long:
 * `{url, key, connections, seconds}` → `{milliseconds, statuses, perSecond}`.
 */
const { url, key, connections, seconds } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
const headers = { Authorization: `Bearer ${key}` };
const milliseconds = [];
const statuses = {};

function send() {
  const begun = performance.now();
  return new Promise((resolve) => {
    const request = http.get(url, { agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        milliseconds.push(performance.now() - begun);
        statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
        resolve();
      });
    });
    request.once('error', (error) => {
      statuses[error.code] = (statuses[error.code] ?? 0) + 1;
      resolve();
    });
  });
}

const begun = performance.now();
const end = begun + seconds * 1_000;
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (performance.now() < end) await send();
  }),
);
const elapsed = (performance.now() - begun) / 1_000;
agent.destroy();
parentPort.postMessage({ milliseconds, statuses, perSecond: milliseconds.length / elapsed });
