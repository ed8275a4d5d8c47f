import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { adminRoutes } from '../support/http-routes.js';
import { operationTable } from '../support/operations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
let tokens: { creator: string; admin: string };

beforeAll(async () => {
  server = await RunningServer.shared();
  tokens = await loginBothRoles(await createOrganization(server));
});

afterAll(() => server.stop());

const routesOfSuperAdmins = adminRoutes.filter(({ id }) => operationTable[id]?.access === 'superAdmin');

describe('the role check', () => {
  it.each(routesOfSuperAdmins)('denies $method $path to the users of an organization', async ({ method, path }) => {
    for (const token of Object.values(tokens)) expectError(await callWithToken(server, token, method, path), 40303);
    expectError(await server.call(method, path), 40102);
  });

  it.each(['{', '{"name":7}', 'x'.repeat(200_000)])('comes before the body is read', async (body) => {
    const call = callWithToken(server, tokens.creator, 'post', '/organizations');
    expectError(await call.set('Content-Type', 'application/json').send(body), 40303);
    expectError(await server.call('post', '/organizations').set('Content-Type', 'application/json').send(body), 40102);
  });
});
