import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from 'jest';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import type * as locate from '../../src/dev/embedded-mongod/locate-mongod.js';

// Jest maps no module names for its global setup, so a `.js` import of source cannot be followed from here: the built files are used.
const root = path.resolve(import.meta.dirname, '../..');
const built = path.join(root, 'dist/dev/embedded-mongod');

/**
 * Starts the one mongod of a test run, a replica set of one with nothing in it, and tells the workers where it is:
 * `TEST_MONGODB_URI`, and `TEST_MONGOD_BINARY` for tests that start their own. `TEST_SHARED_SERVERS` is where they note
 * the servers that they share. While it watches, each run builds what has changed.
 */
async function globalSetup({ watchAll }: Config): Promise<void> {
  if (watchAll === true) spawnSync('node', ['scripts/build.js', '--if-changed'], { cwd: root, stdio: 'inherit' });
  if (!existsSync(path.join(built, 'locate-mongod.js'))) throw new Error('Run `npm run build` before the tests.');
  const { checkMongod, locateMongod } = (await import(path.join(built, 'locate-mongod.js'))) as typeof locate;
  const systemBinary = await locateMongod({
    mongodBinary: process.env['MONGOD_BINARY'],
    progress: (line) => process.stdout.write(`${line}\n`),
  });
  const mongod = await MongoMemoryReplSet.create({
    // The version is only named to keep the library from warning that it is not the one it would have downloaded.
    binary: { systemBinary, version: await checkMongod(systemBinary) },
    instanceOpts: [{ dbPath: await mkdtemp(path.join(await databaseFolder(), 'test-mongod-')) }],
    replSet: { count: 1, storageEngine: 'wiredTiger', args: ['--setParameter', 'transactionLifetimeLimitSeconds=5'] },
  });
  (globalThis as { testMongod?: MongoMemoryReplSet }).testMongod = mongod; // for global-teardown.ts, which is loaded apart
  process.env['TEST_MONGODB_URI'] = mongod.getUri();
  process.env['TEST_MONGOD_BINARY'] = systemBinary;
  process.env['TEST_RUN_PID'] = String(process.pid);
  process.env['TEST_SHARED_SERVERS'] = await mkdtemp(path.join(tmpdir(), 'shared-servers-'));
}

/** Returns a folder in memory if 4 GB are free there, so that majority writes do not wait for a disk; else the temporary folder. */
async function databaseFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize >= 4e9 ? '/dev/shm' : tmpdir();
}

export { globalSetup as default }; // the form in which Jest wants it
