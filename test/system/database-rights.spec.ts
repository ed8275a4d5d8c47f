import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { MongoClient, ObjectId } from 'mongodb';
import { startForTests } from '../support/for-tests.js';
import { database, MongodProcess } from '../support/mongod-process.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { readAllStoredValues } from '../support/stored-values.js';

const day = 24 * 60 * 60 * 1_000;

/** Returns the argument of a documented command, which YAML can read, for the database of the test. */
function documented(command: 'createRole' | 'createUser'): Record<string, unknown> {
  const guide = readFileSync(path.resolve(__dirname, '../../docs/operators/install.md'), 'utf8');
  const [, argument = ''] = new RegExp(`db\\.${command}\\((.*?)\\);\n`, 's').exec(guide) ?? [];
  return load(argument.replaceAll('flagfootball', database)) as Record<string, unknown>;
}

describe('a database user with the documented rights', () => {
  const mongod = MongodProcess.forTests();

  async function createUser(): Promise<string> {
    const client = await new MongoClient(mongod.uri).connect();
    const { role, ...privileges } = documented('createRole');
    const { user, ...login } = documented('createUser');
    await client.db().command({ createRole: role, ...privileges });
    await client.db().command({ createUser: user, ...login });
    await client.close();
    return mongod.uri.replace('//', `//${String(user)}:${encodeURIComponent(String(login['pwd']))}@`);
  }

  /** Starts one server after the other. */
  async function start(): Promise<RunningServer> {
    const MONGODB_URI = await createUser();
    await mongod.stop();
    await mongod.startWithAccessControl();
    const before = await RunningServer.start({ MONGODB_URI, DELETED_PLAYER_RETENTION_DAYS: '30' });
    await before.end();
    logOfFirst = before.log;
    return RunningServer.start({ MONGODB_URI, DELETED_PLAYER_RETENTION_DAYS: '2' });
  }

  let logOfFirst: string;
  const server = startForTests(RunningServer, start, {
    stop: async (running) => {
      await running.end();
      await (await running.database()).client.close();
    },
  });
  const organization = TestOrganization.forTests(server);
  let players: string;

  beforeAll(async () => {
    players = `/teams/${(await organization.team())._id}/players`;
  });

  it('lets the server create indexes, change a retention period, write and follow changes', async () => {
    await eventually('it follows changes', async () => {
      const { status, text } = await server.call('get', '/health/ready');
      return status === 200 && !text.includes('degraded');
    });
    await server.login(superAdmin.email, superAdmin.password);
    expect(logOfFirst + server.log).not.toMatch(/not authorized|requires authentication/);
  });

  const create = (name: string, key: string) =>
    organization
      .call('post', players)
      .set('idem-key', key)
      .send({ name, email: `${name}@example.com` });
  const created = async (name: string) => (await create(name, name).expect(201)).body as Stored;
  const collection = async () => (await server.database()).collection('players');
  const isStored = async ({ _id }: Stored) =>
    (await (await collection()).countDocuments({ _id: new ObjectId(_id) })) === 1;
  /** Deletes a player, some days ago. */
  const remove = async ({ _id }: Stored, daysAgo: number) => {
    await organization.call('delete', `${players}/${_id}`).expect(200);
    const deletedAt = new Date(Date.now() - daysAgo * day);
    await (await collection()).updateOne({ _id: new ObjectId(_id) }, { $set: { deletedAt } });
  };

  it('lets it erase a deleted player after the retention period with the first response, and no other player is', async () => {
    const [present, recent, old] = [await created('present'), await created('recent'), await created('old-one')];
    await remove(recent, 1.9);
    await remove(old, 2.1);

    // The first pass that erases a player has visited every record.
    await eventually('the player is erased', async () => !(await isStored(old)), 30);

    expect([await isStored(present), await isStored(recent)]).toEqual([true, true]);
    await organization.call('get', `${players}/${present._id}`).expect(200);
    await eventuallyPasses(async () => {
      const stored = await readAllStoredValues(await server.database());
      expect(stored.filter(({ text }) => text.includes('old-one'))).toEqual([]);
    });
    const repeated = await create('recent', 'recent').expect(201);
    expect([repeated.headers['idempotent-replayed'], repeated.body]).toEqual(['true', recent]);
    const again = await create('old-one', 'old-one').expect(201);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect((again.body as Stored)._id).not.toBe(old._id);
  });
});
