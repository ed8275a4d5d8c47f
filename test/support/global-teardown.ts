import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoMemoryReplSet } from 'mongodb-memory-server';

/** Milliseconds until the shared server is killed if it does not stop. */
const longestStop = 5_000;

/** Stops the shared server and the mongod of global-setup.ts, and removes their data. */
async function globalTeardown(): Promise<void> {
  const folder = process.env['TEST_SHARED_SERVER'];
  if (folder !== undefined) {
    const note = path.join(folder, 'server.json');
    if (existsSync(note)) await end((JSON.parse(await readFile(note, 'utf8')) as { pid: number }).pid);
    await rm(folder, { recursive: true, force: true });
  }
  await (globalThis as { testMongod?: MongoMemoryReplSet }).testMongod?.stop({ doCleanup: true, force: true });
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
