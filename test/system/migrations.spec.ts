import { type Db, MongoClient, ObjectId } from 'mongodb';
import { MongodProcess } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';
import { ServerProcess } from '../support/server-process.js';
import { superAdmin } from '../support/server.js';

jest.setTimeout(60_000);

const names = [
  ...['0001-drop-replaced-indexes', '0002-rename-disabled-reason', '0003-drop-replaced-indexes'],
  ...['0004-seasons-of-games', '0005-drop-replaced-indexes', '0006-drop-replaced-indexes'],
];
const [season, earlier] = [new ObjectId(), new ObjectId()];
const notAuthorized = 13;

describe('migrations', () => {
  const mongod = MongodProcess.forTests();
  let client: MongoClient;
  let db: Db;
  let servers: ServerProcess[];

  beforeEach(async () => {
    client = await new MongoClient(mongod.uri).connect();
    db = client.db();
    servers = [];
    const key = { organizationId: 1, deletedAt: 1, startDate: 1, _id: 1 } as const;
    await db.collection('schedules').createIndexes([{ key, name: 'schedules_by_start' }]);
    await db.collection('webhookEndpoints').insertOne({ disabledReason: 'operator' });
    const { insertedId: teamOneId } = await db.collection('teams').insertOne({ season });
    await db.collection('schedules').insertMany([{ teamOneId }, { teamOneId, season: earlier }]);
  });
  afterEach(async () => {
    await mongod.failCommands();
    for (const server of servers) await server.remove('SIGKILL');
    await db.dropDatabase();
    await client.close();
  });

  const start = async (): Promise<ServerProcess> => {
    const admin = { SUPER_ADMIN_EMAIL: superAdmin.email, SUPER_ADMIN_PASSWORD: superAdmin.password };
    const server = await ServerProcess.spawn({ MONGODB_URI: mongod.uri, ...admin });
    servers.push(server);
    return server;
  };
  const begins = ({ log }: ServerProcess) => [...log.matchAll(/"The migration (\S+) begins"/g)].map(([, name]) => name);
  const records = () => db.collection<{ _id: string; leasedUntil?: Date }>('migrations');
  const expectMigrated = async () => {
    const completed = records().find({ completedAt: { $exists: true } }, { sort: { _id: 1 } });
    expect((await completed.toArray()).map(({ _id }) => _id)).toEqual(names);
    const indexes = (await db.collection('schedules').indexes()).map(({ name }) => name);
    expect(indexes).toContain('schedules_by_start_and_status');
    expect(indexes).not.toContain('schedules_by_start');
    expect(await db.collection('webhookEndpoints').distinct('disabledReason')).toEqual(['admin']);
    const seasons = await db.collection('schedules').find().sort({ _id: 1 }).toArray();
    expect(seasons.map((game) => game['season'] as unknown)).toEqual([season, earlier]);
  };

  it('run once if servers start at once, and are repeated by another one if the one that runs them is killed', async () => {
    // Not longer, because `failCommands()` waits for blocked commands.
    await mongod.failCommands({ failCommands: ['dropIndexes'], blockConnection: true, blockTimeMS: 8_000 });
    const started = await Promise.all([start(), start()]);
    await eventually('the migration runs', async () => (await mongod.countRunningCommands('dropIndexes')) > 0, 30);
    const leasedUntil = async () => Number((await records().findOne())?.leasedUntil);
    const before = await leasedUntil();
    await eventually('the lease is renewed', async () => (await leasedUntil()) > before, 30);
    const [first, second] = begins(started[0]).length > 0 ? started : [started[1], started[0]];
    await first.end('SIGKILL');
    expect([begins(first), begins(second)]).toEqual([names.slice(0, 1), []]);
    const others = [second, await start()];
    await mongod.failCommands();
    for (const server of others) await server.waitForLog(/"msg":"Ready"/, 30_000);
    expect(others.flatMap(begins).sort()).toEqual(names);
    await expectMigrated();
  });

  it('stop the server if one fails', async () => {
    await mongod.failCommands({ failCommands: ['dropIndexes'], errorCode: notAuthorized });
    const failed = await start();
    expect(await failed.ended).toBe(1);
    expect(failed.log).toMatch(/^The migration 0001-drop-replaced-indexes failed: /m);
    expect(await records().countDocuments({ completedAt: { $exists: true } })).toBe(0);
  });
});
