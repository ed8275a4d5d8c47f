import { MongoClient, ObjectId } from 'mongodb';
import request from 'supertest';
import { hashSecret } from '../../src/access/secret-hasher.js';
import { runAdmin } from '../support/admin-command.js';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow } from '../support/game.js';
import { countKeyReads } from '../support/key-reads.js';
import { MongodProcess } from '../support/mongod-process.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('a MongoDB without a replica set', () => {
  const mongod = MongodProcess.forTests({ standalone: true });

  async function users(): Promise<number> {
    const client = await new MongoClient(mongod.uri).connect();
    const count = await client.db().collection('users').countDocuments();
    await client.close();
    return count;
  }

  it('lets the server start with a warning, without a first super admin, and an existing user log in with an audit event', async () => {
    const [SUPER_ADMIN_EMAIL, SUPER_ADMIN_PASSWORD] = [superAdmin.email, superAdmin.password];
    const server = await ServerProcess.spawn({ MONGODB_URI: mongod.uri, SUPER_ADMIN_EMAIL, SUPER_ADMIN_PASSWORD });
    const url = await server.waitUntilReady();
    await request(url).get('/health/ready').expect(200);
    await request(url).post('/auth/login').send(superAdmin).expect(401);
    expect(await users()).toBe(0);

    const client = await new MongoClient(mongod.uri).connect();
    const stored = client.db().collection('users');
    const email = 'dana@example.com';
    const now = new Date();
    const passwordHash = await hashSecret(superAdmin.password);
    await stored.insertOne({ name: 'Dana', email, passwordHash, role: 'superAdmin', createdAt: now, updatedAt: now });
    const login = { email, password: superAdmin.password };
    await request(url).post('/auth/login').send(login).expect(200);
    await server.remove();
    const found = await stored.findOneAndDelete({ email });
    const isByUser = { action: 'login', 'actor.kind': 'user' };
    const events = await client.db().collection('auditEvents').find(isByUser).toArray();
    await client.close();
    expect(found?.['recentLogins']).toHaveLength(1);
    expect(events).toMatchObject([{ outcome: 'success', actor: { email } }]);

    const warnings = server.log.split('\n').filter((line) => line.includes('"level":"warn"'));
    expect(warnings.join('\n')).toMatch(
      /not a replica set.* API keys, organizations, users, seasons, statistics, calendar links and webhook endpoints cannot be written/,
    );
    expect(warnings.join('\n')).toMatch(/The first super admin was not created/);
    expect(warnings.join('\n')).toMatch(/there is no change feed, and no webhook events except `ping`/);
    expect(server.log).not.toContain('The change feed is');
  });

  it('is rejected by the admin command, which changes nothing', async () => {
    const given = ['create-super-admin', '--email', superAdmin.email, '--password-file', '-'];
    const environment = { MONGODB_URI: mongod.uri };
    const { code, stdout, stderr } = await runAdmin(given, { environment, stdin: superAdmin.password });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Nothing was changed: MongoDB is not a replica set; start it with --replSet$/m);
    expect(await users()).toBe(0);
  });
});

describe('a MongoDB that is no longer a replica set', () => {
  const mongod = MongodProcess.forTests();

  it('still serves statistics, and reads the key of every request', async () => {
    const before = await RunningServer.start({ MONGODB_URI: mongod.uri });
    const game = await createGame(before);
    const written = await game.write([qbRow(game.homePlayer, 3)]);
    await before.end();
    await mongod.stop();
    await mongod.startStandalone();
    const server = await RunningServer.start({ MONGODB_URI: mongod.uri });
    const response = await game.organization.over(server).call('get', game.adminPath);
    const changes = await game.organization.over(server).call('get', '/changes');
    const { key } = game.organization;
    const database = await server.database();
    const reads = await countKeyReads(database, async () => {
      for (let i = 0; i < 10; i++) await game.organization.over(server).call('get', '/seasons').expect(200);
    });
    const revoking = await server.asSuperAdmin('delete', `/api-keys/${key.id}`);
    await database.collection('apiKeys').updateOne({ _id: new ObjectId(key.id) }, { $set: { status: 'revoked' } });
    const revoked = await game.organization.over(server).call('get', '/seasons');
    await server.stop();
    expect([reads, revoked.status]).toEqual([10, 401]);
    expect(expectError(revoking, 50301).message).toContain('not a replica set');
    expect([response.status, response.body]).toEqual([200, { data: written, total: 1 }]);
    expect(expectError(changes, 50301).message).toBe('MongoDB is not a replica set, so there is no change feed.');
  }, 60_000);
});
