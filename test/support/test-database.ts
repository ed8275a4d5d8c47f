import { randomBytes } from 'node:crypto';

/**
 * Returns the URI of a new database on the mongod of this test run.
 * @param name part of the database's name, for debugging
 * @returns another database for every call; it is removed with the run's mongod
 * @throws Error outside a Jest run with our global setup
 */
export function testDatabaseUri(name = 'test'): string {
  const server = process.env['TEST_MONGODB_URI'];
  if (server === undefined) throw new Error('TEST_MONGODB_URI is not set: the global setup of Jest has not run.');
  const uri = new URL(server);
  const worker = process.env['JEST_WORKER_ID'] ?? '0';
  // MongoDB allows 63 bytes without dots or spaces.
  uri.pathname = `/${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)}_${worker}_${randomBytes(6).toString('hex')}`;
  return uri.href;
}
