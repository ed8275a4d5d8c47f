import { parentPort, workerData } from 'node:worker_threads';
import { TimedGets } from './timed-gets.js';

/**
 * A worker that sends requests at a fixed rate, independent of responses, and returns the duration of each, counted
 * from its due time: `{url, address, keys, perSecond, seconds}` → `{milliseconds, statuses}`.
 */
const { url, address, keys, perSecond, seconds } = workerData;
const gets = new TimedGets({ maxSockets: 64, localAddress: address });

const begun = performance.now();
const sent = [];
for (let index = 0; index < perSecond * seconds;) {
  const due = begun + (index * 1_000) / perSecond;
  if (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
  else sent.push(gets.send(url, keys[index++ % keys.length], due));
}
await Promise.all(sent);
gets.close();
const { milliseconds, statuses } = gets;
parentPort.postMessage({ milliseconds, statuses });
