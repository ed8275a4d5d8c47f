import { endGracePeriod, findListedKey, revokeKey, rotateKey, isKeyAccepted } from '../support/api-keys.js';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

const hour = 3_600;

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

/** Whether each of these secrets is accepted, in order. */
async function acceptedOf(organization: TestOrganization, keys: readonly string[]): Promise<boolean[]> {
  const found: boolean[] = [];
  for (const key of keys) found.push(await isKeyAccepted(organization, key));
  return found;
}

/** Waits until an instant has passed. */
async function waitUntil(instant: unknown): Promise<void> {
  const left = Date.parse(String(instant)) - Date.now();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, left) + 50));
}

describe('the previous secret during its grace period', () => {
  it('reads and writes for the same organization as the new one', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old } = organization.key;
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: hour });
    const season = await organization.season();
    for (const [index, key] of [old, renewed, old].entries()) {
      await organization
        .call('post', '/teams', key)
        .send({ name: `Team ${index}`, season: season._id })
        .expect(201);
    }
    const lists = await Promise.all([old, renewed].map((key) => organization.call('get', '/teams', key).expect(200)));
    expect((lists[0]?.body as { total: number }).total).toBe(3);
    expect(lists[1]?.body).toEqual(lists[0]?.body);
  });

  it('works even if the key was never used before its rotation', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey } = await createKey(server, organization.id);
    await rotateKey(server, id, { graceSeconds: hour });
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);
  });

  it('is the only other valid secret: earlier ones stay rejected', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: first } = organization.key;
    const { apiKey: second } = await rotateKey(server, id);
    const { apiKey: third } = await rotateKey(server, id, { graceSeconds: hour });
    expect(await acceptedOf(organization, [first, second, third])).toEqual([false, true, true]);
    expect(await isKeyAccepted(organization, `${second.slice(0, -1)}_`)).toBe(false);
  });

  it('stops working when the grace period ends and is no longer listed', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old } = organization.key;
    const { apiKey: renewed, ...response } = await rotateKey(server, id, { graceSeconds: 3 });
    expect(await findListedKey(organization)).toHaveProperty('previousSecretExpiresAt');
    expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);

    await waitUntil(response['previousSecretExpiresAt']);

    expect(await acceptedOf(organization, [old, renewed])).toEqual([false, true]);
    expect(await findListedKey(organization)).not.toHaveProperty('previousSecretExpiresAt');
    await endGracePeriod(server, id).expect(200);
    expect(await isKeyAccepted(organization, renewed)).toBe(true);
  });

  it('gets 401 with the next request after its grace period is ended', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old } = organization.key;
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: hour });
    for (let round = 0; round < 3; round++)
      expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);
    await endGracePeriod(server, id).expect(200);
    expect(await acceptedOf(organization, [old, renewed])).toEqual([false, true]);
  });

  it.each([
    ['with a grace period, which keeps the newest two', hour, [false, true, true]],
    ['without a grace period, which keeps the newest', 0, [false, false, true]],
  ])('stops working after the next rotation %s', async (_what, graceSeconds, expected) => {
    const organization = await createOrganization(server);
    const { id, apiKey: first } = organization.key;
    const { apiKey: second } = await rotateKey(server, id, { graceSeconds: hour });
    expect(await acceptedOf(organization, [first, second])).toEqual([true, true]);
    const { apiKey: third } = await rotateKey(server, id, { graceSeconds });
    expect(await acceptedOf(organization, [first, second, third])).toEqual(expected);
  });

  it('stops working when the key is revoked, like the new one', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old } = organization.key;
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: hour });
    expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);
    await revokeKey(server, id).expect(200);
    expect(await acceptedOf(organization, [old, renewed])).toEqual([false, false]);
  });

  it('expires with its key, like the new one', async () => {
    const organization = await createOrganization(server);
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const { id, apiKey: old } = await createKey(server, organization.id, { expiresAt });
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: hour });
    expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);
    await waitUntil(expiresAt);
    expect(await acceptedOf(organization, [old, renewed])).toEqual([false, false]);
  });

  it('has the scopes of its key', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old } = await createKey(server, organization.id, { scopes: ['teams:read'] });
    await rotateKey(server, id, { graceSeconds: hour });
    await organization.call('get', '/teams', old).expect(200);
    expectError(await organization.call('get', '/seasons', old), 40305);
  });

  it('works for a key created before secrets had tags', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey: old, keyPrefix } = organization.key;
    const keys = (await server.database()).collection('apiKeys');
    expect((await keys.updateOne({ keyPrefix }, { $unset: { secretTag: 1 } })).modifiedCount).toBe(1);
    const { apiKey: renewed } = await rotateKey(server, id, { graceSeconds: hour });
    expect(await acceptedOf(organization, [old, renewed])).toEqual([true, true]);
  });
});

describe('the two secrets of a key', () => {
  it('share one rate limit', async () => {
    const limited = await RunningServer.start({ ...preload(cheapHashes), RATE_LIMIT_PER_MINUTE: '3' });
    try {
      const organization = await createOrganization(limited);
      const { id, apiKey: old } = organization.key;
      const { apiKey: renewed } = await rotateKey(limited, id, { graceSeconds: hour });
      const left: unknown[] = [];
      for (const key of [old, renewed, old]) {
        left.push((await organization.call('get', '/teams', key).expect(200)).headers['ratelimit-remaining']);
      }
      expect(left).toEqual(['2', '1', '0']);
      for (const key of [old, renewed]) expectError(await organization.call('get', '/teams', key), 42901);
    } finally {
      await limited.stop();
    }
  });

  it('are not confused with those of another key', async () => {
    const organization = await createOrganization(server);
    const other = await createKey(server, organization.id);
    await rotateKey(server, organization.key.id, { graceSeconds: hour });
    await revokeKey(server, other.id).expect(200);
    expect(await acceptedOf(organization, [organization.key.apiKey, other.apiKey])).toEqual([true, false]);
    expectInvalidKey(await organization.call('get', '/teams', other.apiKey));
  });
});
