import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoMemoryReplSet } from 'mongodb-memory-server-core';

/** Milliseconds until a shared server that does not stop is killed. */
const longestStop = 5_000;

/** Stops the shared servers and the mongod of global-setup.ts, and removes their data. */
async function globalTeardown(): Promise<void> {
  const folder = process.env['TEST_SHARED_SERVERS'];
  if (folder !== undefined) {
    const notes = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    await Promise.all(notes.map(async (name) => end(await pidIn(path.join(folder, name)))));
    await rm(folder, { recursive: true, force: true });
  }
  await (globalThis as { testMongod?: MongoMemoryReplSet }).testMongod?.stop({ doCleanup: true, force: true });
}

async function pidIn(note: string): Promise<number> {
  return (JSON.parse(await readFile(note, 'utf8')) as { pid: number }).pid;
}

async function end(pid: number): Promise<void> {
  signal(pid, 'SIGTERM');
  for (const late = Date.now() + longestStop; signal(pid, 0) && Date.now() < late;) await sleep(50);
  signal(pid, 'SIGKILL');
}

/** Returns false if the process no longer exists. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

export { globalTeardown as default }; // the form that Jest requires
