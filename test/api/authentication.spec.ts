import { type ApiKeyScope, apiKeyScopes } from '../../src/access/public-api.js';
import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { api, createKey, TestOrganization } from '../support/organization.js';
import { RawConnection } from '../support/raw-http.js';
import { adminRoutes, publicRoutes, unknownId } from '../support/http-routes.js';
import { OperationDriver } from '../support/operation-driver.js';
import { operations, operationTable, publicOperations } from '../support/operations.js';
import { SecretTracker, uniqueMark } from '../support/secret-tracker.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const organization = TestOrganization.forTests(server);
/** Of the creator and of an admin of the organization. */
let tokens: string[];

beforeAll(async () => {
  tokens = Object.values(await loginBothRoles(organization));
});

describe('the API key of a public request', () => {
  const listTeams = (authorization: string) => server.call('get', `${api}/teams`).set('Authorization', authorization);

  it.each(publicRoutes)('is required: $method $path', async ({ method, path }) => {
    expectInvalidKey(await server.call(method, api + path));
  });

  it.each<[string, (key: string) => string]>([
    ['a wrong checksum', (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['an unknown ID with a valid checksum', () => `Bearer ${unknownKey(`ffk_live_${'0'.repeat(12)}`)}`],
    ['a wrong secret with a valid checksum', (key) => `Bearer ${unknownKey(key.slice(0, 'ffk_live_'.length + 12))}`],
  ])('is rejected with 401 if it is %s', async (_what, authorization) => {
    expectInvalidKey(await listTeams(authorization(organization.key.apiKey)));
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
    const { key } = organization;
    const elsewhere = server.call('get', `${api}/teams?api_key=${key.apiKey}&access_token=${key.apiKey}`);
    expectInvalidKey(await elsewhere.set('X-Api-Key', key.apiKey).set('Cookie', `Authorization=Bearer ${key.apiKey}`));
  });

  it('cannot be a login token of a super admin, a creator or an organization admin', async () => {
    for (const token of [server.superAdminToken, ...tokens]) {
      await callWithToken(server, token, 'get', '/auth/me').expect(200);
      expectInvalidKey(await listTeams(`Bearer ${token}`));
    }
  });

  it('is checked without waiting for the body', async () => {
    const connection = await RawConnection.open(server.url);
    const head = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 50000', 'Connection: close'];
    connection.send(`POST ${api}/teams HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
    expect((await connection.response()).status).toBe(401);
  });
});

describe('an admin route', () => {
  it.each(adminRoutes)('denies $method $path to keys, strangers and roles without it', async ({ id, method, path }) => {
    for (const call of [server.call(method, path), callWithToken(server, organization.key.apiKey, method, path)]) {
      const response = await call;
      expectError(response, 40102);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    if (operationTable[id]?.access !== 'superAdmin') return;
    for (const token of tokens) expectError(await callWithToken(server, token, method, path), 40303);
  });

  // On their own user, all admins may call the others.
  it.each(operations.filter(({ row, path }) => row.access === 'admin' && !path.startsWith('/auth/')))(
    'denies $id to the users of another organization',
    async (operation) => {
      const driver = new OperationDriver(server, new SecretTracker(), uniqueMark());
      const fixture = await driver.createFixture(operation);
      const call = await driver.callOf(operation, fixture);
      for (const token of tokens) {
        const headers = { ...call.headers, Authorization: `Bearer ${token}` };
        expectError(await driver.send(operation, { ...call, headers }), 40303);
      }
      await driver.succeed(operation, fixture);
    },
  );

  it.each(['{', '{"name":7}', 'x'.repeat(200_000)])('denies it before the body is read', async (body) => {
    const call = callWithToken(server, tokens[0] ?? '', 'post', '/organizations');
    expectError(await call.set('Content-Type', 'application/json').send(body), 40303);
    expectError(await server.call('post', '/organizations').set('Content-Type', 'application/json').send(body), 40102);
  });
});

/** A key with a valid format and checksum and an unknown secret. */
function unknownKey(keyPrefix: string): string {
  return formatApiKey({ keyPrefix, secret: 'a'.repeat(32) });
}

describe('access that ends while the request body is being received', () => {
  const organization = TestOrganization.forTests(server, beforeEach);

  /** Sends a POST whose body stops half-way, runs an action, then sends the rest. */
  async function responseAfter(path: string, credential: string, body: object, act: () => Promise<unknown>) {
    const text = JSON.stringify(body);
    const connection = await RawConnection.open(server.url);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: test',
      `Authorization: Bearer ${credential}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      'Connection: close',
    ];
    connection.send(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 5)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await act();
    connection.send(text.slice(5));
    return connection.response();
  }

  it.each<[string, number, (id: string) => PromiseLike<unknown>]>([
    ['is revoked', 40101, (id) => server.asSuperAdmin('delete', `/api-keys/${id}`).expect(200)],
    [
      'loses the scope',
      40305,
      (id) =>
        server
          .asSuperAdmin('patch', `/api-keys/${id}`)
          .send({ scopes: ['teams:read'] })
          .expect(200),
    ],
  ])('rejects a key that %s with %i, and writes nothing', async (_what, error, change) => {
    const season = (await organization.season())._id;
    const { id, apiKey } = organization.key;
    const act = async () => change(id);
    const response = await responseAfter(`${api}/teams`, apiKey, { name: 'Hawks', season }, act);
    expect(response.status).toBe(Math.floor(error / 100));
    expect(JSON.parse(response.body)).toMatchObject({ error });
    expect(await (await server.database()).collection('teams').countDocuments({ season })).toBe(0);
  });

  it('returns 401 for a disabled admin', async () => {
    const { creator } = await loginBothRoles(organization);
    await callWithToken(server, creator, 'get', '/auth/me').expect(200);
    const disable = () =>
      server.asSuperAdmin('patch', `/users/${organization.creator._id}`).send({ disabled: true }).expect(200);
    const body = { currentPassword: organization.creator.password, newPassword: 'another long one' };
    const { status, body: rejection } = await responseAfter('/auth/password', creator, body, disable);
    expect([status, (JSON.parse(rejection) as { error: number }).error]).toEqual([401, 40102]);
  });
});

const withScope = publicOperations.filter(({ row }) => row.access !== 'anyKey');
const scopedRoutes = publicRoutes
  .filter(({ id }) => withScope.some((operation) => operation.id === id))
  .map((route) => ({ ...route, scope: operationTable[route.id]?.access as ApiKeyScope }));

const keys = new Map<string, string>();

/** Returns a key with these scopes, created once. */
async function keyWithScopes(scopes: readonly ApiKeyScope[]): Promise<string> {
  const name = scopes.join(' ');
  const known = keys.get(name) ?? (await createKey(server, organization.id, { scopes })).apiKey;
  keys.set(name, known);
  return known;
}

/** Every scope that does not include this one. */
const allBut = (scope: ApiKeyScope) =>
  apiKeyScopes.filter((other) => other !== scope && other !== `${String(scope.split(':')[0])}:*`);

describe('the published document', () => {
  it.each(withScope)('states the scope of $id and its errors', ({ scope, description, errors, row }) => {
    expect(scope).toBe(row.access);
    expect(description).toContain(`Requires the scope \`${row.access}\`.`);
    expect(errors).toEqual(expect.arrayContaining([40305, 40306]));
  });
});

describe.each(scopedRoutes)('$id', ({ method, path: route, scope }) => {
  it(`accepts a key with only ${scope}`, async () => {
    const response = await organization.call(method, route, await keyWithScopes([scope]));
    // The request is empty and names no existing record, so that it may fail for other reasons.
    expect((response.body as { error?: number }).error).not.toBe(40305);
    expect(response.status).not.toBe(401);
  });

  it(`rejects a key with every scope except ${scope}, naming it`, async () => {
    const response = await organization.call(method, route, await keyWithScopes(allBut(scope)));
    expect(expectError(response, 40305).message).toBe(`The API key lacks the scope ${scope}`);
  });
});

describe('a key with scopes', () => {
  it('gets 40101 before 40305, and 40305 before errors of the body or the team', async () => {
    const key = await keyWithScopes(['teams:read']);
    const send = (credential: string) =>
      organization.call('post', `/teams/${unknownId}/players?nonsense=1`, credential).set('Content-Type', 'text/plain');
    expectError(await send(key).send('x'.repeat(150_000)), 40305);
    expectInvalidKey(await send(`${key.slice(0, -1)}_`).send('Hawks'));
  });
});
