import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { endOperationsOfBrokenConnections } from '../../src/database/broken-connections.js';
import { driverOptions } from '../../src/database/connection-options.js';
import { testDatabaseUri } from '../support/test-database.js';

/** What the test has to reach into the driver for: nothing public tells a connection's socket. */
interface DriverInside {
  topology: {
    s: { servers: Map<string, { pool: { connections: Iterable<{ socket: { destroy(): void } }> } & Pool }> };
  };
}
interface Pool {
  readonly currentCheckedOutCount: number;
}

describe('an operation whose connection breaks in the moment in which it is sent', () => {
  let client: mongo.MongoClient;
  const records = () => client.db().collection('records');
  const pool = () => {
    const [server] = (client as unknown as DriverInside).topology.s.servers.values();
    if (server === undefined) throw new Error('There is no server');
    return server.pool;
  };

  beforeAll(async () => {
    endOperationsOfBrokenConnections();
    client = await new mongo.MongoClient(testDatabaseUri(), driverOptions).connect();
    await records().insertOne({ _id: 1 as never });
  });
  afterAll(async () => {
    await client.db().dropDatabase();
    await client.close();
  });

  it.each([
    ['read', () => records().findOne({})],
    ['list', () => records().find({}).toArray()],
    ['insert', () => records().insertOne({})],
    ['update', () => records().findOneAndUpdate({}, { $set: { changed: true } })],
    ['command', () => client.db().command({ ping: 1 })],
  ])('ends, and gives its connection back: %s', async (_what, operate) => {
    await records().findOne({});
    // As a connection is that the other side has ended, before the driver is told.
    for (const { socket } of pool().connections) socket.destroy();
    const outcome = operate().then(
      () => 'done',
      (error: unknown) => (error instanceof mongo.MongoError ? 'refused' : error),
    );
    expect(await Promise.race([outcome, sleep(4_000, 'hangs', { ref: false })])).toMatch(/done|refused/);
    expect(pool().currentCheckedOutCount).toBe(0);
  });
});
