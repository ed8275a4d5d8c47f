import { type ApiKeyScope, apiKeyScopes } from '../../src/access/public-api.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { publicRoutes, unknownId } from '../support/http-routes.js';
import { operationTable, publicOperations } from '../support/operations.js';
import { createKey, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const withScope = publicOperations.filter(({ row }) => row.access !== 'anyKey');
const operations = publicRoutes
  .filter(({ id }) => withScope.some((operation) => operation.id === id))
  .map((route) => ({ ...route, scope: operationTable[route.id]?.access as ApiKeyScope }));

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
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

describe.each(operations)('$id', ({ method, path: route, scope }) => {
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
