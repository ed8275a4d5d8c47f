import { createHmac } from 'node:crypto';
import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
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

  it.each(publicRoutes)('is required: $method $path', async ({ method, path }) => {
    expectInvalidKey(await server.call(method, api + path));
  });

  it('is required for HEAD', async () => {
    const response = await server.call('head', `${api}/teams`).expect(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is accepted after %s in any case', async (word) => {
    await listTeams(`${word} ${key.apiKey}`).expect(200);
  });

  it.each<[string, (key: string) => string]>([
    ['an empty header', () => ''],
    ['Bearer without a key', () => 'Bearer'],
    ['Bearer and a space', () => 'Bearer '],
    ['the key without Bearer', (key) => key],
    ['the key directly after Bearer', (key) => `Bearer${key}`],
    ['another scheme with the key', (key) => `Token ${key}`],
    ['Basic with the key as password', (key) => `Basic ${Buffer.from(`key:${key}`).toString('base64')}`],
    ['Basic with the key as user', (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['the key in quotes', (key) => `Bearer "${key}"`],
    ['two keys', (key) => `Bearer ${key} ${key}`],
    ['two credentials in one header', (key) => `Bearer ${key}, Bearer ${key}`],
    ['a word', () => 'Bearer something'],
    ['a key without its last character', (key) => `Bearer ${key.slice(0, -1)}`],
    ['a key with one more character', (key) => `Bearer ${key}0`],
    ['a key with a character that is not base62', (key) => `Bearer ${key.slice(0, -7)}!${key.slice(-6)}`],
    ['a key in capitals', (key) => `Bearer ${key.toUpperCase()}`],
    ['a key without its prefix', (key) => `Bearer ${key.replace('ffk_live_', '')}`],
    ['a key with another prefix', (key) => `Bearer ${key.replace('ffk_live_', 'ffk_test_')}`],
    ['a wrong checksum', (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['an unknown ID with a valid checksum', () => `Bearer ${unknownKey(`ffk_live_${'0'.repeat(12)}`)}`],
    ['a wrong secret with a valid checksum', (key) => `Bearer ${unknownKey(key.slice(0, 'ffk_live_'.length + 12))}`],
    ['only the prefix and ID', (key) => `Bearer ${key.slice(0, 'ffk_live_'.length + 12)}`],
    ['a very long string', () => `Bearer ffk_live_${'a'.repeat(8_000)}`],
  ])('is rejected with 401 if it is %s', async (_what, authorization) => {
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
    for (const token of ['abc', unknownKey(`ffk_live_${'0'.repeat(12)}`)]) {
      expect(expectInvalidKey(await listTeams(`Bearer ${token}`))).not.toHaveProperty('details');
    }
  });

  it('is not read from other headers, the query or a cookie', async () => {
    const elsewhere = server.call('get', `${api}/teams?api_key=${key.apiKey}&access_token=${key.apiKey}`);
    expectInvalidKey(await elsewhere.set('X-Api-Key', key.apiKey).set('Cookie', `Authorization=Bearer ${key.apiKey}`));
  });

  it('cannot be a login token of a super admin, a creator or an organization admin', async () => {
    const { id, creator } = await createOrganization(server);
    const admin = { name: 'Ari Admin', email: `admin-${id}@example.com`, password: 'correct horse battery' };
    await server.asSuperAdmin('post', `/organizations/${id}/users`).send(admin).expect(201);
    for (const user of [superAdmin, creator, admin]) {
      const token = await server.login(user.email, user.password);
      await server.call('get', '/auth/me').set('Authorization', `Bearer ${token}`).expect(200);
      expectInvalidKey(await listTeams(`Bearer ${token}`));
    }
  });

  it('cannot be a validly signed token for a key', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: key.id, exp: 4_000_000_000 })}`;
    const token = `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`;
    expectInvalidKey(await listTeams(`Bearer ${token}`));
  });

  it.each<[string, string, string]>([
    ['malformed JSON', 'application/json', '{"name":'],
    ['a body that is too large', 'application/json', JSON.stringify({ name: 'x'.repeat(200_000) })],
    ['another media type', 'text/plain', 'name=Hawks'],
    ['a body nested too deep', 'application/json', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('is checked before the body: %s returns 401', async (_what, type, body) => {
    expectInvalidKey(await server.call('post', `${api}/teams`).set('Content-Type', type).send(body));
  });

  it('is checked without waiting for the body', async () => {
    const connection = await RawConnection.open(server.url);
    const head = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 50000', 'Connection: close'];
    connection.send(`POST ${api}/teams HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
    expect((await connection.response()).status).toBe(401);
  });

  it.each(adminRoutes)('cannot call admin routes: $method $path', async ({ method, path }) => {
    const response = await server.call(method, path).set('Authorization', `Bearer ${key.apiKey}`).send({});
    expectError(response, 40102);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });
});

/** A key with a valid format and checksum and an unknown secret. */
function unknownKey(keyPrefix: string): string {
  return formatApiKey({ keyPrefix, secret: 'a'.repeat(32) });
}
