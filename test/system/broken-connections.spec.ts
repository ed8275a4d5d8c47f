import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, MongoError, MongoNetworkError } from 'mongodb';
import { patchBrokenConnections } from '../../src/workarounds/broken-connections.js';
import { driverOptions } from '../../src/database/connection-options.js';
import { testDatabaseUri } from '../support/test-database.js';
import { eventually } from '../support/processes.js';

/** Internals of the driver, because it does not expose the socket of a connection. */
interface DriverInside {
  topology: {
    s: {
      servers: Map<string, { pool: Pool }>;
    };
  };
}
interface Pool {
  readonly currentCheckedOutCount: number;
  readonly connections: Iterable<{
    readonly socket: Socket;
    writeCommand(command: unknown, options: unknown): Promise<void>;
  }>;
}

describe('an operation whose connection breaks while it is sent', () => {
  let client: MongoClient;
  const records = () => client.db().collection('records');
  const pool = () => {
    const [server] = (client as unknown as DriverInside).topology.s.servers.values();
    if (server === undefined) throw new Error('There is no server');
    return server.pool;
  };

  beforeAll(async () => {
    patchBrokenConnections();
    client = await new MongoClient(testDatabaseUri(), driverOptions).connect();
    await records().insertOne({ _id: 1 as never });
  });
  afterAll(async () => {
    await client.db().dropDatabase();
    await client.close();
  });

  it.each([
    ['read', () => records().findOne({})],
    ['update', () => records().findOneAndUpdate({}, { $set: { changed: true } })],
    ['command', () => client.db().command({ ping: 1 })],
  ])('ends and returns its connection to the pool: %s', async (_what, operate) => {
    await records().findOne({});
    // A connection that the other side has closed, before the driver notices.
    for (const { socket } of pool().connections) socket.destroy();
    const outcome = operate().then(
      () => 'done',
      (error: unknown) => (error instanceof MongoError ? 'refused' : error),
    );
    expect(await Promise.race([outcome, sleep(4_000, 'hangs', { ref: false })])).toMatch(/done|refused/);
    expect(pool().currentCheckedOutCount).toBe(0);
  });

  it('fails with an error of the driver if the socket breaks during a write', async () => {
    const reset = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' });
    await records().findOne({});
    const connection = [...pool().connections].find(({ socket: { destroyed } }) => !destroyed);
    if (connection === undefined) throw new Error('There is no connection');
    const { socket } = connection;
    // Buffers what is written and is reset before the buffer is sent.
    socket.write = () => false;
    const listeners = socket.listenerCount('error');
    const writing = connection.writeCommand({ toBin: () => [Buffer.alloc(1)] }, { agreedCompressor: 'none' });
    const rejection = expect(writing).rejects.toBeInstanceOf(MongoNetworkError);
    await eventually('the driver waits for the buffer', () => socket.listenerCount('error') > listeners);
    socket.destroy(reset);
    await rejection;
  });
});
