import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { RawConnection } from '../support/raw-http.js';
import { adminRoutes, publicRoutes } from '../support/http-routes.js';
import { RunningServer, superAdmin } from '../support/server.js';

describe('the API key of a public request', () => {
  const server = RunningServer.forTests();
  /** A key that no test changes. */
  let key: TestOrganization['key'];

  beforeAll(async () => {
    ({ key } = await createOrganization(server));
  });

  const listTeams = (authorization: string) => server.call('get', `${api}/teams`).set('Authorization', authorization);

  it.each(publicRoutes)('is required: $method $path', async ({ method, path }) => {
    expectInvalidKey(await server.call(method, api + path));
  });

  it('is required for HEAD', async () => {
    const response = await server.call('head', `${api}/teams`).expect(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it.each<[string, (key: string) => string]>([
    ['an empty header', () => ''],
    ['another scheme with the key', (key) => `Token ${key}`],
    ['two credentials in one header', (key) => `Bearer ${key}, Bearer ${key}`],
    ['a wrong checksum', (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['an unknown ID with a valid checksum', () => `Bearer ${unknownKey(`ffk_live_${'0'.repeat(12)}`)}`],
    ['a wrong secret with a valid checksum', (key) => `Bearer ${unknownKey(key.slice(0, 'ffk_live_'.length + 12))}`],
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
