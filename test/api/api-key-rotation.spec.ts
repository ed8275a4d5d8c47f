import { endGracePeriod, findListedKey, revokeKey, rotateKey, isKeyAccepted } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { exchange } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

const week = 604_800;

const server = RunningServer.forTests();

/** The stored key. */
async function stored({ key }: TestOrganization): Promise<Record<string, unknown>> {
  const record = await (await server.database()).collection('apiKeys').findOne({ keyPrefix: key.keyPrefix });
  return record ?? {};
}

/** Checks that an instant is this many seconds after a request that began at `begun`. */
function expectIn(seconds: number, instant: unknown, begun: number): void {
  const at = Date.parse(String(instant)) - seconds * 1_000;
  expect(at).toBeGreaterThanOrEqual(begun);
  expect(at).toBeLessThanOrEqual(Date.now());
}

/** Whether each of these secrets is accepted, in order. */
async function acceptedOf(organization: TestOrganization, keys: readonly string[]): Promise<boolean[]> {
  const found: boolean[] = [];
  for (const key of keys) found.push(await isKeyAccepted(organization, key));
  return found;
}

describe('a rotation', () => {
  it.each<[string, object | undefined]>([
    ['without a body', undefined],
    ['with an empty object', {}],
    ['with a grace period of 0 seconds', { graceSeconds: 0 }],
  ])('%s removes the old secret', async (_what, body) => {
    const organization = await createOrganization(server);
    const { id, apiKey } = organization.key;
    const before = await stored(organization);

    const response = await rotateKey(server, id, body);

    expect(response).not.toHaveProperty('previousSecretExpiresAt');
    expect(await isKeyAccepted(organization, apiKey)).toBe(false);
    expect(await isKeyAccepted(organization, response.apiKey)).toBe(true);
    const after = await stored(organization);
    expect(after).not.toHaveProperty('previous');
    expect(JSON.stringify(after)).not.toContain(before['secretHash']);
    expect(after['secretHash']).toMatch(/^\$argon2id\$/);
  });

  it.each([
    ['an empty body', 'Content-Length: 0\r\n'],
    ['an empty body of another type', 'Content-Type: text/plain\r\nContent-Length: 0\r\n'],
  ])('needs no Content-Type with %s', async (_what, headers) => {
    const { key } = await createOrganization(server);
    const token = server.asSuperAdmin('get', '/').get('Authorization');
    const head = `POST /api-keys/${key.id}/rotate HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const response = await exchange(server.url, `${head}Authorization: ${token}\r\n${headers}\r\n`);
    expect(response.status).toBe(200);
  });

  it.each([1, 60, week])(
    'with a grace period of %d seconds shows when the old secret expires, and so does the list',
    async (graceSeconds) => {
      const organization = await createOrganization(server);
      const begun = Date.now();

      const { apiKey, ...response } = await rotateKey(server, organization.key.id, { graceSeconds });

      expectIn(graceSeconds, response['previousSecretExpiresAt'], begun);
      expect(Date.parse(String(response['previousSecretExpiresAt']))).toBe(
        Date.parse(String(response['rotatedAt'])) + graceSeconds * 1_000,
      );
      // Before the key is used, which adds `lastUsedAt` some time later.
      if (graceSeconds > 1) expect(await findListedKey(organization)).toEqual(response);
      expect(await isKeyAccepted(organization, apiKey)).toBe(true);
    },
  );

  it('of an expired key is possible, and the key stays expired', async () => {
    const organization = await createOrganization(server);
    const keys = (await server.database()).collection('apiKeys');
    const expiresAt = new Date(Date.now() - 1_000);
    await keys.updateOne({ keyPrefix: organization.key.keyPrefix }, { $set: { expiresAt } });

    const response = await rotateKey(server, organization.key.id, { graceSeconds: 60 });

    expect(response).toMatchObject({ status: 'expired', expiresAt: expiresAt.toISOString() });
    expect([
      await isKeyAccepted(organization, organization.key.apiKey),
      await isKeyAccepted(organization, response.apiKey),
    ]).toEqual([false, false]);
  });
});

describe('revoking a key during its grace period', () => {
  it('removes the previous secret and its listed expiry', async () => {
    const organization = await createOrganization(server);
    const { apiKey } = await rotateKey(server, organization.key.id, { graceSeconds: week });
    await revokeKey(server, organization.key.id).expect(200);
    expect(await stored(organization)).not.toHaveProperty('previous');
    expect(await findListedKey(organization)).toMatchObject({ status: 'revoked' });
    expect(await findListedKey(organization)).not.toHaveProperty('previousSecretExpiresAt');
    expect([
      await isKeyAccepted(organization, organization.key.apiKey),
      await isKeyAccepted(organization, apiKey),
    ]).toEqual([false, false]);
  });
});

describe('DELETE /api-keys/{id}/previous-secret', () => {
  it('ends the grace period at once and keeps the newest secret', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: first } = organization.key;
    const { apiKey, ...rest } = await rotateKey(server, id, { graceSeconds: week });

    const response = await endGracePeriod(server, id);

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ message: expect.stringMatching(/\S/) as string });
    expect([await isKeyAccepted(organization, first), await isKeyAccepted(organization, apiKey)]).toEqual([
      false,
      true,
    ]);
    const { previousSecretExpiresAt, ...left } = rest;
    expect(previousSecretExpiresAt).toBeDefined();
    expect(await findListedKey(organization)).toEqual(left);
    expect(await stored(organization)).not.toHaveProperty('previous');
  });

  it('returns 40405 for an unknown key and 40001 for a malformed ID', async () => {
    expectError(await endGracePeriod(server, 'f'.repeat(24)), 40405);
    expectFieldError(await endGracePeriod(server, 'nonsense'), 'id');
  });
});

describe('the previous secret during its grace period', () => {
  it('stops working when the grace period ends and is no longer listed', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old } = organization.key;
    const { apiKey: renewed, keyPrefix } = await rotateKey(server, id, { graceSeconds: 3_600 });
    expect(await findListedKey(organization)).toHaveProperty('previousSecretExpiresAt');
    expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);
    const over = { $set: { 'previous.expiresAt': new Date(Date.now() - 1) } };
    await (await server.database()).collection('apiKeys').updateOne({ keyPrefix }, over);

    await eventually('the old secret is rejected', async () => !(await isKeyAccepted(organization, old)), 2);
    expect(await isKeyAccepted(organization, renewed)).toBe(true);
    expect(await findListedKey(organization)).not.toHaveProperty('previousSecretExpiresAt');
    await endGracePeriod(server, id).expect(200);
    expect(await isKeyAccepted(organization, renewed)).toBe(true);
  });

  it.each([
    ['with a grace period, which keeps the newest two', 3_600, [false, true, true]],
    ['without a grace period, which keeps the newest', 0, [false, false, true]],
  ])('stops working after the next rotation %s', async (_what, graceSeconds, expected) => {
    const organization = await createOrganization(server);
    const { id, apiKey: first } = organization.key;
    const { apiKey: second } = await rotateKey(server, id, { graceSeconds: 3_600 });
    expect(await acceptedOf(organization, [first, second])).toEqual([true, true]);
    const { apiKey: third } = await rotateKey(server, id, { graceSeconds });
    expect(await acceptedOf(organization, [first, second, third])).toEqual(expected);
  });

  it('works for a key created before secrets had tags', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old, keyPrefix } = organization.key;
    const keys = (await server.database()).collection('apiKeys');
    expect((await keys.updateOne({ keyPrefix }, { $unset: { secretTag: 1 } })).modifiedCount).toBe(1);
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: 3_600 });
    expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);
  });
});
