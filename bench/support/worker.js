import { Worker } from 'node:worker_threads';

/** Lets a client of this folder work in a thread of its own; what it tells at its end. */
export function runClient(file, workerData) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file, import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
