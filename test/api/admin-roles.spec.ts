import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { adminRoutes } from '../support/http-routes.js';
import { operationTable } from '../support/operations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
let tokens: { creator: string; admin: string };

beforeAll(async () => {
  tokens = await loginBothRoles(await createOrganization(server));
});

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
