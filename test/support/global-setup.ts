import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from 'jest';
import { MongoMemoryReplSet } from 'mongodb-memory-server';
import type * as locate from '../../src/dev/embedded-mongod/locate-mongod.js';

// Jest maps no module names in its global setup, so that a `.js` import of a source file fails here: imports the built
// files.
const root = path.resolve(import.meta.dirname, '../..');
const built = path.join(root, 'dist/dev/embedded-mongod');

/** Collecting diagnostic data every second costs more the more databases there are. */
const args = [
  ...['--setParameter', 'transactionLifetimeLimitSeconds=5'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

/**
 * Starts the mongod of a test run, an empty replica set with one member, and passes its address to the workers:
 * `TEST_MONGODB_URI`, and `TEST_MONGOD_BINARY` for tests that start their own. The first worker that needs the shared
 * server starts it in the folder `TEST_SHARED_SERVER`. In watch mode, each run builds what has changed.
 */
async function globalSetup({ watchAll }: Config): Promise<void> {
  if (watchAll === true) spawnSync('node', ['scripts/build.js', '--if-changed'], { cwd: root, stdio: 'inherit' });
  if (!existsSync(path.join(built, 'locate-mongod.js'))) throw new Error('Run `npm run build` before the tests.');
  const { locateMongod } = (await import(path.join(built, 'locate-mongod.js'))) as typeof locate;
  const binary = await locateMongod({
    mongodBinary: process.env['MONGOD_BINARY'],
    progress: (line) => process.stdout.write(`${line}\n`),
  });
  const mongod = await MongoMemoryReplSet.create({
    binary,
    instanceOpts: [{ dbPath: await mkdtemp(path.join(await databaseFolder(), 'test-mongod-')) }],
    replSet: { count: 1, storageEngine: 'wiredTiger', args },
  });
  (globalThis as { testMongod?: MongoMemoryReplSet }).testMongod = mongod; // for global-teardown.ts
  process.env['TEST_MONGODB_URI'] = mongod.getUri();
  process.env['TEST_MONGOD_BINARY'] = binary.systemBinary;
  process.env['TEST_RUN_PID'] = String(process.pid);
  process.env['TEST_SHARED_SERVER'] = await mkdtemp(path.join(tmpdir(), 'shared-server-'));
}

/** Returns a folder in memory if 4 GB are free there, so that majority writes do not wait for a disk; else the temporary folder. */
async function databaseFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize >= 4e9 ? '/dev/shm' : tmpdir();
}

export { globalSetup as default }; // the form that Jest requires
