import type { MongoMemoryReplSet } from 'mongodb-memory-server-core';

/** Ends the mongod that global-setup.ts has started, if it came so far, and removes its data. */
async function globalTeardown(): Promise<void> {
  await (globalThis as { testMongod?: MongoMemoryReplSet }).testMongod?.stop({ doCleanup: true, force: true });
}

export { globalTeardown as default }; // the form in which Jest wants it
