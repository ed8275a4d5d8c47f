import { fork } from 'node:child_process';
import path from 'node:path';
import { percentile } from '../support/figures.js';
import { databaseOf } from './contenders.js';
import { headersOf, operations } from './operations.js';
import { processorSeconds, residentMegabytes } from './processes.js';

const client = path.resolve(import.meta.dirname, '../peers/load.js');
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts the client process: `{turn(work), stop()}`. */
export function startClient() {
  const child = fork(client, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  let answered;
  child.on('message', (result) => answered.resolve(result));
  child.on('exit', (code) => answered?.reject(new Error(`The client ended with ${code}`)));
  const turn = (work) =>
    new Promise((resolve, reject) => {
      answered = { resolve, reject };
      child.send(work);
    });
  return { turn, stop: () => child.disconnect() };
}

/**
 * Loads one server with one operation for some seconds.
 * @returns requests per second, latencies in ms, CPU seconds per 1,000 requests, and the maximum resident memory in MB
 * @throws Error for an unexpected response
 */
export async function measure(client, { server, mongodPid, data }, name, { connections, seconds }) {
  const operation = operations[name];
  const requests = operation[server.speaks](data);
  const pids = [server.pid, mongodPid];
  let megabytes = 0;
  const look = async () => {
    megabytes = Math.max(megabytes, await residentMegabytes(server.pid));
  };
  const looking = setInterval(look, 200);
  const before = await Promise.all(pids.map(processorSeconds));
  const result = await client.turn({
    ...{ url: server.url, connections, seconds, requests, headers: headersOf(server.speaks, data.key) },
  });
  const after = await Promise.all(pids.map(processorSeconds));
  clearInterval(looking);
  await look();
  const { milliseconds, statuses, elapsed, processor } = result;
  const wrong = Object.keys(statuses).filter((status) => !/^20[01]$/.test(status));
  if (milliseconds.length === 0 || wrong.length > 0)
    throw new Error(`${server.label} answered ${operation.label} with ${JSON.stringify(statuses)}`);
  const each1000 = (used) => (used * 1_000) / milliseconds.length;
  return {
    perSecond: milliseconds.length / elapsed,
    p50: percentile(milliseconds, 0.5),
    p99: percentile(milliseconds, 0.99),
    server: each1000(after[0] - before[0]),
    mongod: each1000(after[1] - before[1]),
    client: each1000(processor),
    megabytes,
    requests: milliseconds.length,
  };
}

/** Deletes what a turn wrote, so that the next one starts with the same data. */
export async function reset({ client, started }, uri, name) {
  const { writes } = operations[name];
  if (writes === undefined) return;
  // Requests in flight when the client stopped may still write.
  await pause(100);
  for (const name of writes.contract)
    await client
      .db()
      .collection(name)
      .deleteMany({ createdAt: { $gte: started } });
  const parse = client.db(new URL(databaseOf('parse', uri)).pathname.slice(1));
  for (const name of writes.parse) await parse.collection(name).deleteMany({ _created_at: { $gte: started } });
}
