import { createHmac } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import { adminRoutes, publicRoutes } from '../support/http-routes.js';
import { jwtSecret, RunningServer, superAdmin } from '../support/server.js';

describe('the API key of a public request', () => {
  let server: RunningServer;
  /** A key that no test changes. */
  let key: TestOrganization['key'];

  beforeAll(async () => {
    server = await RunningServer.shared();
    ({ key } = await createOrganization(server));
  });
  afterAll(() => server.stop());

  const listTeams = (authorization: string) => server.call('get', `${api}/teams`).set('Authorization', authorization);

  it.each(publicRoutes)('is demanded of every request: $method $path', async ({ method, path }) => {
    expectInvalidKey(await server.call(method, api + path));
  });

  it('is demanded of a HEAD too', async () => {
    const response = await server.call('head', `${api}/teams`).expect(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is accepted after the word «%s», in any case', async (word) => {
    await listTeams(`${word} ${key.apiKey}`).expect(200);
  });

  it.each<[string, (key: string) => string]>([
    ['an empty header', () => ''],
    ['the word Bearer alone', () => 'Bearer'],
    ['the word Bearer and a space', () => 'Bearer '],
    ['the key without the word', (key) => key],
    ['the key glued to the word', (key) => `Bearer${key}`],
    ['another scheme with the key', (key) => `Token ${key}`],
    ['Basic with the key as password', (key) => `Basic ${Buffer.from(`key:${key}`).toString('base64')}`],
    ['Basic with the key as user', (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['the key in quotes', (key) => `Bearer "${key}"`],
    ['two keys', (key) => `Bearer ${key} ${key}`],
    ['two credentials in one header', (key) => `Bearer ${key}, Bearer ${key}`],
    ['some word', () => 'Bearer something'],
    ['a key that lost its last character', (key) => `Bearer ${key.slice(0, -1)}`],
    ['a key with one character more', (key) => `Bearer ${key}0`],
    ['a key with a sign that is no base62', (key) => `Bearer ${key.slice(0, -7)}!${key.slice(-6)}`],
    ['a key in capitals', (key) => `Bearer ${key.toUpperCase()}`],
    ['a key without its prefix', (key) => `Bearer ${key.replace('ffk_live_', '')}`],
    ['a key with another prefix', (key) => `Bearer ${key.replace('ffk_live_', 'ffk_test_')}`],
    ['a wrong checksum', (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['an unknown id with a right checksum', () => `Bearer ${created(`ffk_live_${'0'.repeat(12)}`)}`],
    ['a wrong secret with a right checksum', (key) => `Bearer ${created(key.slice(0, 'ffk_live_'.length + 12))}`],
    ['the prefix with the id alone', (key) => `Bearer ${key.slice(0, 'ffk_live_'.length + 12)}`],
    ['a very long text', () => `Bearer ffk_live_${'a'.repeat(8_000)}`],
  ])('is refused with 401 when it is %s', async (_what, authorization) => {
    expectInvalidKey(await listTeams(authorization(key.apiKey)));
  });

  it('is described in details only if the header is missing or malformed', async () => {
    const malformed = 'The Authorization header must be `Bearer <API key>`';
    const field = 'Authorization';
    const missing = expectInvalidKey(await server.call('get', `${api}/teams`));
    expect(missing.details).toEqual([{ field, message: 'The Authorization header is missing' }]);
    for (const header of ['', 'Bearer', 'Token abc', 'Bearer a b']) {
      expect(expectInvalidKey(await listTeams(header)).details).toEqual([{ field, message: malformed }]);
    }
    for (const token of ['abc', created(`ffk_live_${'0'.repeat(12)}`)]) {
      expect(expectInvalidKey(await listTeams(`Bearer ${token}`))).not.toHaveProperty('details');
    }
  });

  it('is not looked for in other headers, the query or a cookie', async () => {
    const elsewhere = server.call('get', `${api}/teams?api_key=${key.apiKey}&access_token=${key.apiKey}`);
    expectInvalidKey(await elsewhere.set('X-Api-Key', key.apiKey).set('Cookie', `Authorization=Bearer ${key.apiKey}`));
  });

  it('cannot be the login token of a super admin, a creator or an organization admin', async () => {
    const { id, creator } = await createOrganization(server);
    const admin = { name: 'Ari Admin', email: `admin-${id}@example.com`, password: 'correct horse battery' };
    await server.asSuperAdmin('post', `/organizations/${id}/users`).send(admin).expect(201);
    for (const user of [superAdmin, creator, admin]) {
      const token = await server.login(user.email, user.password);
      await server.call('get', '/auth/me').set('Authorization', `Bearer ${token}`).expect(200);
      expectInvalidKey(await listTeams(`Bearer ${token}`));
    }
  });

  it('cannot be a token that someone made with the right signature for a key', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: key.id, exp: 4_000_000_000 })}`;
    const token = `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`;
    expectInvalidKey(await listTeams(`Bearer ${token}`));
  });

  it('is dead with the request after its revocation, though it was used before', async () => {
    const { key } = await createOrganization(server);
    await listTeams(`Bearer ${key.apiKey}`).expect(200);
    await server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
    expectInvalidKey(await listTeams(`Bearer ${key.apiKey}`));
  });

  it('is dead with the request after its rotation, and the new one works', async () => {
    const { key } = await createOrganization(server);
    await listTeams(`Bearer ${key.apiKey}`).expect(200);
    const rotated = await server.asSuperAdmin('post', `/api-keys/${key.id}/rotate`).expect(200);
    expectInvalidKey(await listTeams(`Bearer ${key.apiKey}`));
    await listTeams(`Bearer ${(rotated.body as { apiKey: string }).apiKey}`).expect(200);
  });

  /** What is changed in the database itself, not over a server, is told to each server a moment later. */
  async function isDead(apiKey: string): Promise<void> {
    const dead = async () => (await listTeams(`Bearer ${apiKey}`)).status === 401;
    await eventually('it is dead', dead, 2);
    expectInvalidKey(await listTeams(`Bearer ${apiKey}`));
  }

  it('is dead from the moment it expires, though it was used before', async () => {
    const { id } = await createOrganization(server);
    const key = await createKey(server, id, { expiresAt: new Date(Date.now() + 600_000).toISOString() });
    await listTeams(`Bearer ${key.apiKey}`).expect(200);
    const keys = (await server.database()).collection('apiKeys');
    const { modifiedCount } = await keys.updateOne({ keyPrefix: key.keyPrefix }, { $set: { expiresAt: new Date() } });
    expect(modifiedCount).toBe(1);
    await isDead(key.apiKey);
  });

  it.each(['organizations', 'users'] as const)(
    'is dead while its organization or its creator is disabled, and alive again after: %s',
    async (collection) => {
      const { id, key, creator } = await createOrganization(server);
      await listTeams(`Bearer ${key.apiKey}`).expect(200);
      const records = (await server.database()).collection(collection);
      const name = collection === 'users' ? { email: creator.email } : { _id: new ObjectId(id) };
      expect((await records.updateOne(name, { $set: { disabledAt: new Date() } })).modifiedCount).toBe(1);
      await isDead(key.apiKey);
      expect((await records.updateOne(name, { $unset: { disabledAt: '' } })).modifiedCount).toBe(1);
      const lives = async () => (await listTeams(`Bearer ${key.apiKey}`)).status === 200;
      await eventually('it is alive', lives, 2);
    },
  );

  it.each(['organizations', 'users'] as const)(
    'is dead when its organization or its creator is gone: %s',
    async (collection) => {
      const { id, key, creator } = await createOrganization(server);
      await listTeams(`Bearer ${key.apiKey}`).expect(200);
      const records = (await server.database()).collection(collection);
      const name = collection === 'users' ? { email: creator.email } : { _id: new ObjectId(id) };
      expect((await records.deleteOne(name)).deletedCount).toBe(1);
      await isDead(key.apiKey);
    },
  );

  it.each<[string, string, string]>([
    ['malformed JSON', 'application/json', '{"name":'],
    ['a body that is too large', 'application/json', JSON.stringify({ name: 'x'.repeat(200_000) })],
    ['another media type', 'text/plain', 'name=Hawks'],
    ['a body nested too deep', 'application/json', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('is judged before the body: %s gives 401 without one', async (_what, type, body) => {
    expectInvalidKey(await server.call('post', `${api}/teams`).set('Content-Type', type).send(body));
  });

  it('is judged without waiting for the body', async () => {
    const connection = await RawConnection.open(server.url);
    const head = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 50000', 'Connection: close'];
    connection.send(`POST ${api}/teams HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
    expect((await connection.response()).status).toBe(401);
  });

  it.each(adminRoutes)('opens no admin route: $method $path', async ({ method, path }) => {
    const response = await server.call(method, path).set('Authorization', `Bearer ${key.apiKey}`).send({});
    expectError(response, 40102);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });
});

/** A key of the right shape and checksum with a secret that nobody gave out. */
function created(keyPrefix: string): string {
  return formatApiKey({ keyPrefix, secret: 'a'.repeat(32) });
}
