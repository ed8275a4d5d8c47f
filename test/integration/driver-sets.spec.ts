import { mongo } from 'mongoose';
import { Bag } from '../../src/common/bag.js';
import { driverOptions } from '../../src/database/connection-options.js';
import { keepInBags } from '../../src/database/driver-sets.js';
import { testDatabaseUri } from '../support/test-database.js';

/** What the test has to reach into the driver for: nothing public tells what its client has under way. */
interface DriverInside {
  readonly s: { readonly activeSessions: Iterable<unknown>; readonly activeCursors: Iterable<unknown> };
}

describe('a client of the driver that keeps its sessions and cursors in bags', () => {
  let client: mongo.MongoClient;
  const records = () => client.db().collection('records');
  const underWay = () => {
    const { activeSessions, activeCursors } = (client as unknown as DriverInside).s;
    return { sessions: [...activeSessions], cursors: [...activeCursors] };
  };

  beforeEach(async () => {
    client = new mongo.MongoClient(testDatabaseUri(), driverOptions);
    keepInBags(client);
    await client.connect();
    await records().insertMany([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  });
  afterEach(async () => {
    await client.connect();
    await client.db().dropDatabase();
    await client.close();
  });

  it('knows them while they are open, and not after', async () => {
    const cursor = records().find({}, { batchSize: 1 });
    await cursor.next();
    const session = client.startSession();
    expect(underWay().cursors).toEqual([cursor]);
    expect(underWay().sessions).toContain(session);
    await cursor.close();
    await session.endSession();
    expect(underWay()).toEqual({ sessions: [], cursors: [] });
  });

  it('ends what is open when it is closed', async () => {
    const cursor = records().find({}, { batchSize: 1 });
    await cursor.next();
    const session = client.startSession();
    await client.close();
    expect([cursor.closed, session.hasEnded]).toEqual([true, true]);
    expect(underWay()).toEqual({ sessions: [], cursors: [] });
  });

  it('keeps them so once, however often it is told: a driver that keeps them in another way fails here', () => {
    const { s } = client as unknown as DriverInside;
    const before = { ...s };
    keepInBags(client);
    for (const kept of [s.activeSessions, s.activeCursors]) expect(kept).toBeInstanceOf(Bag);
    expect([s.activeSessions, s.activeCursors]).toEqual([before.activeSessions, before.activeCursors]);
    expect(s.activeSessions).toBe(before.activeSessions);
  });
});
