import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A worker that sends so many requests a second for so long, whatever the answers take, and tells how long each took, counted
 * from when it was due: `{url, address, keys, perSecond, seconds}` → `{milliseconds, statuses}`.
 */
const { url, address, keys, perSecond, seconds } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: 64, localAddress: address });
const milliseconds = [];
const statuses = {};

function send(index, due) {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${keys[index % keys.length]}` };
    const request = http.get(url, { agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        milliseconds.push(performance.now() - due);
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
const sent = [];
for (let index = 0; index < perSecond * seconds;) {
  const due = begun + (index * 1_000) / perSecond;
  if (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
  else sent.push(send(index++, due));
}
await Promise.all(sent);
agent.destroy();
parentPort.postMessage({ milliseconds, statuses });
