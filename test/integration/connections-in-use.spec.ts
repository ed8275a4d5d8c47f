import { mongo } from 'mongoose';
import { refusalOf } from '../../src/database/database-error.filter.js';
import { poolSize } from '../../src/database/connection-options.js';
import { OwnMongod } from '../support/own-mongod.js';

describe('the connections to the database', () => {
  it('are one for each request in service and some beside, but no more than a database can bear', () => {
    expect([poolSize(256), poolSize(1_000_000)]).toEqual([264, 512]);
  });

  it('are told as 50302 where all are in use, and as 50301 where the database is away', async () => {
    const mongod = await OwnMongod.start();
    const options = { maxPoolSize: 1, waitQueueTimeoutMS: 100, serverSelectionTimeoutMS: 500 };
    const client = new mongo.MongoClient(mongod.uri, options);
    try {
      const find = () => client.db().collection('any').findOne({});
      await find();
      await mongod.failCommands({ failCommands: ['find'], blockConnection: true, blockTimeMS: 3_000 });
      const [, second] = await Promise.allSettled([find(), find()]);
      const reason: unknown = second.status === 'rejected' ? second.reason : undefined;
      expect(refusalOf(reason)).toMatchObject({ entry: { code: 50302 }, retryAfterSeconds: 1, cause: reason });

      await mongod.kill();
      const away: unknown = await find().catch((error: unknown) => error);
      expect(refusalOf(away)).toMatchObject({ entry: { code: 50301 }, retryAfterSeconds: 1, cause: away });
    } finally {
      await client.close();
      await mongod.remove();
    }
  });
});
