import { parentPort, workerData } from 'node:worker_threads';
import { TimedGets } from './timed-gets.js';

/**
 * A worker that sends the next request as soon as the last one is answered, over so many connections for so long:
 * `{url, key, connections, seconds}` → `{milliseconds, statuses, perSecond}`.
 */
const { url, key, connections, seconds } = workerData;
const gets = new TimedGets({ maxSockets: connections });

const begun = performance.now();
const end = begun + seconds * 1_000;
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (performance.now() < end) await gets.send(url, key);
  }),
);
const elapsed = (performance.now() - begun) / 1_000;
gets.close();
const { milliseconds, statuses } = gets;
parentPort.postMessage({ milliseconds, statuses, perSecond: milliseconds.length / elapsed });
