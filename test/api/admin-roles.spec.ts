import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
let organization: TestOrganization;
let tokens: { creator: string; admin: string };

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
  tokens = await loginBothRoles(organization);
});

afterAll(() => server.stop());

/** Every route that only super admins may call, with a request that is otherwise valid for this organization. */
const routes = [
  {
    method: 'post',
    path: () => '/organizations',
    body: () => ({ name: 'A', creator: { name: 'B', email: 'b@example.com', password: 'long enough' } }),
  },
  { method: 'get', path: () => '/organizations' },
  {
    method: 'post',
    path: () => `/organizations/${organization.id}/users`,
    body: () => ({ name: 'B', email: 'b@example.com', password: 'long enough' }),
  },
  { method: 'patch', path: () => `/organizations/${organization.id}`, body: () => ({ disabled: true }) },
  { method: 'get', path: () => `/organizations/${organization.id}` },
  { method: 'get', path: () => `/organizations/${organization.id}/users` },
  { method: 'get', path: () => `/organizations/${organization.id}/usage` },
  { method: 'get', path: () => '/usage' },
  { method: 'get', path: () => '/webhook-endpoints' },
  { method: 'patch', path: () => `/users/${organization.creator._id}`, body: () => ({ disabled: true }) },
  {
    method: 'post',
    path: () => '/seasons',
    body: () => ({ name: 'A', startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' }),
  },
  { method: 'get', path: () => '/seasons' },
  { method: 'patch', path: () => `/seasons/${unknownId}`, body: () => ({ name: 'A' }) },
  { method: 'post', path: () => '/api-keys', body: () => ({ name: 'A', organizationId: organization.id }) },
  { method: 'get', path: () => `/api-keys?organizationId=${organization.id}` },
  { method: 'patch', path: () => `/api-keys/${organization.key.id}`, body: () => ({ status: 'revoked' }) },
  { method: 'delete', path: () => `/api-keys/${organization.key.id}` },
  { method: 'post', path: () => `/api-keys/${organization.key.id}/rotate` },
  { method: 'delete', path: () => `/api-keys/${organization.key.id}/previous-secret` },
] as const;

const named = routes.map((route, index) => ({
  ...route,
  name: [
    'create organizations',
    'list organizations',
    'create users',
    'change organizations',
    'get an organization',
    'list users',
    'read the usage of an organization',
    'list the usage of organizations',
    'list webhook endpoints',
    'change users',
    'create seasons',
    'list seasons',
    'change seasons',
    'create API keys',
    'list API keys',
    'change API keys',
    'revoke API keys',
    'rotate API keys',
    'end the grace period of a previous secret',
  ][index],
}));

async function countRecords(): Promise<number[]> {
  const database = await server.database();
  const names = ['organizations', 'users', 'seasons', 'apiKeys'];
  return Promise.all(
    names.map((name) => database.collection(name).countDocuments({ status: { $ne: 'revoked' }, disabledAt: null })),
  );
}

describe.each(named)('permission to $name', ({ method, path, ...route }) => {
  const send = (token: string) => {
    const call = callWithToken(server, token, method, path());
    return 'body' in route ? call.send(route.body()) : call;
  };

  it.each(['creator', 'admin'] as const)('is denied to the %s of an organization, even of this one', async (role) => {
    const before = await countRecords();
    expectError(await send(tokens[role]), 40303);
    expect(await countRecords()).toEqual(before);
  });

  it('is denied to an integration key', async () => {
    const response = await send(organization.key.apiKey);
    expectError(response, 40102);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('is denied without credentials', async () => {
    expectError(await server.call(method, path()), 40102);
  });
});

describe('the role check', () => {
  it.each(['{', '{"name":7}', 'x'.repeat(200_000)])('comes before the body is read', async (body) => {
    const call = callWithToken(server, tokens.creator, 'post', '/organizations');
    expectError(await call.set('Content-Type', 'application/json').send(body), 40303);
    expectError(await server.call('post', '/organizations').set('Content-Type', 'application/json').send(body), 40102);
  });

  it('comes before the record is looked up', async () => {
    expectError(await callWithToken(server, tokens.admin, 'delete', `/api-keys/${'f'.repeat(24)}`), 40303);
  });

  it('leaves the key unchanged and working', async () => {
    expectError(await callWithToken(server, tokens.creator, 'delete', `/api-keys/${organization.key.id}`), 40303);
    expectError(await callWithToken(server, tokens.creator, 'post', `/api-keys/${organization.key.id}/rotate`), 40303);
    await organization.call('get', '/teams').expect(200);
  });
});
