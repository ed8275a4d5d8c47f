import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { adminRoutes } from '../support/http-routes.js';
import { OperationDriver } from '../support/operation-driver.js';
import { operations, operationTable } from '../support/operations.js';
import { createOrganization } from '../support/organization.js';
import { SecretTracker, uniqueMark } from '../support/secret-tracker.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
let tokens: { creator: string; admin: string };

beforeAll(async () => {
  tokens = await loginBothRoles(await createOrganization(server));
});

const routesOfSuperAdmins = adminRoutes.filter(({ id }) => operationTable[id]?.access === 'superAdmin');
/** Operations of all admins, except on their own user: of users, only those of the record's organization may call them. */
const onRecords = operations.filter(({ row, path }) => row.access === 'admin' && !path.startsWith('/auth/'));

describe('the role check', () => {
  it.each(routesOfSuperAdmins)('denies $method $path to the users of an organization', async ({ method, path }) => {
    for (const token of Object.values(tokens)) expectError(await callWithToken(server, token, method, path), 40303);
    expectError(await server.call(method, path), 40102);
  });

  it.each(onRecords)('denies $id to the users of another organization', async (operation) => {
    const driver = new OperationDriver(server, new SecretTracker(), uniqueMark());
    const fixture = await driver.createFixture(operation);
    const call = await driver.callOf(operation, fixture);
    for (const token of Object.values(tokens)) {
      const headers = { ...call.headers, Authorization: `Bearer ${token}` };
      expectError(await driver.send(operation, { ...call, headers }), 40303);
    }
    await driver.succeed(operation, fixture);
  });

  it.each(['{', '{"name":7}', 'x'.repeat(200_000)])('comes before the body is read', async (body) => {
    const call = callWithToken(server, tokens.creator, 'post', '/organizations');
    expectError(await call.set('Content-Type', 'application/json').send(body), 40303);
    expectError(await server.call('post', '/organizations').set('Content-Type', 'application/json').send(body), 40102);
  });
});
