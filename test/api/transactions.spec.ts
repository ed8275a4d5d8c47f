import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection, type mongo } from 'mongoose';
import { unconditional } from '../../src/access/request-context.js';
import { errorCatalogue } from '../../src/errors/error-catalogue.js';
import { ServiceError } from '../../src/errors/service-error.js';
import { connectionOptions } from '../../src/database/connection-options.js';
import { type Session, Transactions } from '../../src/database/transaction.js';
import { testDatabaseUri } from '../support/test-database.js';

interface Entry {
  _id: string;
  count: number;
}

describe('a transaction', () => {
  let connection: Connection;
  let transactions: Transactions;
  let entries: mongo.Collection<Entry>;
  let others: mongo.Collection<Entry>;

  beforeAll(async () => {
    connection = await createConnection(testDatabaseUri(), connectionOptions).asPromise();
    transactions = new Transactions(connection);
  });

  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  beforeEach(async () => {
    const database = connection.getClient().db(connection.name);
    const suffix = Math.random().toString(36).slice(2);
    entries = database.collection(`entries_${suffix}`);
    others = database.collection(`others_${suffix}`);
    await entries.insertOne({ _id: 'a', count: 0 });
    await database.createCollection(others.collectionName);
  });

  const increment = (session: Session) => entries.updateOne({ _id: 'a' }, { $inc: { count: 1 } }, { session });
  const count = async () => (await entries.findOne({ _id: 'a' }))?.count;

  /** Locks the entry in another transaction until `release` is called. */
  const hold = async (): Promise<{ release: () => Promise<void> }> => {
    const session = connection.getClient().startSession();
    session.startTransaction();
    await entries.updateOne({ _id: 'a' }, { $set: { count: 100 } }, { session });
    const release = async (): Promise<void> => {
      await session.abortTransaction();
      await session.endSession();
    };
    return { release };
  };

  it('commits all writes and returns the result of its work', async () => {
    const result = await transactions.run(unconditional, async (session) => {
      await increment(session);
      await others.insertOne({ _id: 'b', count: 1 }, { session });
      return 'done';
    });
    expect(result).toBe('done');
    expect([await count(), await others.countDocuments()]).toEqual([1, 1]);
  });

  it('rolls back and rethrows the same error if its work throws, without a retry', async () => {
    const rejection = new ServiceError('scheduleNotFound');
    let attempts = 0;
    const running = transactions.run(unconditional, async (session) => {
      attempts++;
      await increment(session);
      await others.insertOne({ _id: 'b', count: 1 }, { session });
      throw rejection;
    });
    await expect(running).rejects.toBe(rejection);
    expect([attempts, await count(), await others.countDocuments()]).toEqual([1, 0, 0]);
  });

  it('retries while another transaction holds the record, and takes effect once', async () => {
    const { release } = await hold();
    let attempts = 0;
    const running = transactions.run(unconditional, async (session) => {
      attempts++;
      await others.insertOne({ _id: `attempt ${attempts}`, count: attempts }, { session });
      await increment(session);
    });
    await sleep(60);
    await release();
    await running;
    expect(attempts).toBeGreaterThan(1);
    expect([await count(), await others.countDocuments()]).toEqual([1, 1]);
  });

  it('lets each of twenty concurrent transactions take effect exactly once or fail with 50302', async () => {
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => transactions.run(unconditional, increment)));
    const done = all.filter(({ status }) => status === 'fulfilled').length;
    const rejected = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    for (const reason of rejected) expect(reason).toMatchObject({ entry: errorCatalogue.overloaded });
    expect(done).toBeGreaterThan(0);
    expect(await count()).toBe(done);
  });

  it('gives up with 50302 and Retry-After if the conflict does not end, and waits less than a second in all', async () => {
    const { release } = await hold();
    const wait = jest.spyOn(globalThis, 'setTimeout');
    let attempts = 0;
    let session: Session | undefined;
    const running = transactions.run(unconditional, async (own) => {
      attempts++;
      session = own;
      await increment(own);
    });
    const rejection = await running.catch((error: unknown) => error);
    const delays = wait.mock.calls.map(([, milliseconds = 0]) => milliseconds);
    wait.mockRestore();
    await release();
    expect(rejection).toBeInstanceOf(ServiceError);
    expect(rejection).toMatchObject({ entry: { code: 50302 }, status: 503, retryAfterSeconds: 1 });
    expect((rejection as ServiceError).cause).toMatchObject({ code: 112 });
    expect(attempts).toBeGreaterThan(3);
    expect(attempts).toBeLessThanOrEqual(20);
    expect(delays.reduce((sum, milliseconds) => sum + milliseconds, 0)).toBeLessThan(1_000);
    expect(delays.length).toBeGreaterThanOrEqual(attempts - 1);
    expect([await count(), session?.hasEnded]).toEqual([0, true]);
  });
});
