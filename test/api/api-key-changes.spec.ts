import type request from 'supertest';
import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import {
  type Key,
  findListedKey,
  revokeKey,
  requestRotation,
  isKeyAccepted,
  endGracePeriod,
  rotateKey,
} from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, TestOrganization } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { ObjectId } from 'mongodb';
import { auditPage } from '../support/audit.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);

/** The organization with a key of a test. */
const withNewKey = async () => organization.withKey(await createKey(server, organization.id));
const revoke = (id: string) => revokeKey(server, id);
const rotate = (id: string) => requestRotation(server, id);
/** A revision after another change. */
const later = expect.any(Number) as number;

describe('a revoked or expired key', () => {
  const ends: [string, (id: string) => Promise<unknown>, RegExp][] = [
    ['revoked', (id) => revoke(id), /^The API key was revoked at \d{4}-\d\d-\d\dT/],
    [
      'expired',
      async (id) =>
        (await server.database())
          .collection('apiKeys')
          .updateOne({ _id: new ObjectId(id) }, { $set: { expiresAt: new Date('2026-01-01') } }),
      /^The API key expired at 2026-01-01T00:00:00.000Z$/,
    ],
  ];

  it.each(ends)('is told so to who knows its secret, and to nobody else: %s', async (_how, end, told) => {
    const { id, apiKey, keyPrefix } = await createKey(server, organization.id);
    await end(id);
    await eventuallyPasses(async () => {
      const known = expectError(await organization.call('get', '/me', apiKey), 40101);
      expect(known.details?.[0]?.message).toMatch(told);
    });
    const forged = formatApiKey({ keyPrefix, secret: 'a'.repeat(32) });
    expect(expectError(await organization.call('get', '/me', forged), 40101)).not.toHaveProperty('details');
  });
});

describe('a rotated key', () => {
  it('keeps ID, prefix, name and creator, and shows who rotated it and when', async () => {
    const organization = await withNewKey();
    const { apiKey, ...before } = organization.key as Key;

    const response = await rotate(before.id);

    expect(response.status).toBe(200);
    const { apiKey: renewed, lastRotatedBy, rotatedAt, ...rest } = response.body as Key;
    expect(rest).toEqual({ ...before, revision: later });
    expect(lastRotatedBy).toEqual(before['createdBy']);
    expect(lastRotatedBy).toMatchObject({ email: superAdmin.email });
    expect(Math.abs(Date.parse(String(rotatedAt)) - Date.now())).toBeLessThan(60_000);
    expect(renewed).toMatch(/^ffk_live_[0-9A-Za-z]{50}$/);
    expect(renewed.startsWith(before.keyPrefix)).toBe(true);
    expect(renewed).not.toBe(apiKey);
    expect(await findListedKey(organization)).toEqual({ ...rest, lastRotatedBy, rotatedAt });
  });
});

const future = '2199-01-01T00:00:00.000Z';
const limits = { scopes: ['teams:read'], allowedAddresses: ['127.0.0.0/8'], expiresAt: future };

const patch = (id: string, body: object): request.Test => server.asSuperAdmin('patch', `/api-keys/${id}`).send(body);

async function update(id: string, body: object): Promise<Key> {
  return (await patch(id, body).expect(200)).body as Key;
}

/** The recorded changes of a key, newest first, without its creation. */
async function updatesOf(id: string) {
  const { data } = await auditPage(server, `organizationId=${organization.id}&action=updateApiKey`);
  return data.filter(({ target }) => target?._id === id);
}

describe('PATCH /api-keys/{id}', () => {
  it('changes the sent fields, keeps the others, and returns the key as the list does, without a secret', async () => {
    const { id, apiKey } = await createKey(server, organization.id, { name: 'ERP', ...limits });
    const changed = await update(id, { name: '  Registration ', scopes: ['teams:read', 'players:*'] });

    expect(changed).toMatchObject({ ...limits, name: 'Registration', scopes: ['teams:read', 'players:*'] });
    expect(changed).toEqual(await findListedKey(organization, id));
    expect(Object.keys(changed)).not.toContain('apiKey');
    expect(JSON.stringify(changed)).not.toMatch(/argon2|hash/i);
    await organization.call('get', '/teams', apiKey).expect(200);
  });

  it('clears a field with null, and only it', async () => {
    const { id } = await createKey(server, organization.id, { name: 'ERP', ...limits });
    for (const field of ['scopes', 'allowedAddresses', 'expiresAt'] as const) {
      const { [field]: _cleared, ...others } = limits;
      const changed = await update(id, { [field]: null });
      expect(changed).toMatchObject({ name: 'ERP', ...others });
      expect(changed).not.toHaveProperty(field);
      await update(id, limits);
    }
  });

  it('extends an expired key, which works again with the next request', async () => {
    const { id, apiKey, keyPrefix } = await createKey(server, organization.id, { expiresAt: future });
    const expiresAt = new Date(Date.now() - 1_000);
    await (await server.database()).collection('apiKeys').updateOne({ keyPrefix }, { $set: { expiresAt } });
    await eventually('the key is rejected', async () => !(await isKeyAccepted(organization, apiKey)), 2);

    expect(await update(id, { expiresAt: future })).toMatchObject({ status: 'active', expiresAt: future });

    expect(await isKeyAccepted(organization, apiKey)).toBe(true);
  });

  it('records who changed what, and nothing if no field gets another value', async () => {
    const { id, keyPrefix } = await createKey(server, organization.id, { name: 'ERP', ...limits });
    const before = await findListedKey(organization, id);
    for (const same of [{}, { name: 'ERP' }, limits]) expect(await update(id, same)).toEqual(before);
    expect(await updatesOf(id)).toEqual([]);

    await update(id, { name: 'ERP', scopes: null, expiresAt: '2198-01-01T00:00:00Z' });

    expect(await updatesOf(id)).toMatchObject([
      {
        outcome: 'success',
        actor: { kind: 'user', role: 'superAdmin' },
        target: { kind: 'apiKey', _id: id },
        organizationId: organization.id,
        changes: { name: 'ERP', keyPrefix, scopes: null, expiresAt: '2198-01-01T00:00:00.000Z' },
      },
    ]);
  });

  it('never changes a revoked key, even if it is revoked at the same time', async () => {
    const { id, apiKey } = await createKey(server, organization.id, { expiresAt: future });
    const [response] = await Promise.all([patch(id, { name: 'ERP', expiresAt: null }), revokeKey(server, id)]);
    if (response.status !== 200) expectError(response, 40903);
    expectError(await patch(id, { name: 'Later' }), 40903);
    expectError(await patch(id, {}), 40903);
    expect(await isKeyAccepted(organization, apiKey)).toBe(false);
    expect(await findListedKey(organization, id)).toMatchObject({ status: 'revoked' });
    expectError(await requestRotation(server, id), 40903);
  });

  it('rejects an expiry in the past, and changes nothing', async () => {
    const { id } = organization.key;
    const before = await findListedKey(organization);
    expectFieldError(await patch(id, { name: 'Changed', expiresAt: '2020-01-01T00:00:00Z' }), 'expiresAt');
    expect(await findListedKey(organization)).toEqual(before);
  });
});

const week = 604_800;

/** The stored key. */
async function stored({ key }: TestOrganization): Promise<Record<string, unknown>> {
  const record = await (await server.database()).collection('apiKeys').findOne({ keyPrefix: key.keyPrefix });
  return record ?? {};
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
    ['with a grace period of 0 seconds', { graceSeconds: 0 }],
  ])('%s removes the old secret', async (_what, body) => {
    const organization = await withNewKey();
    const { id, apiKey } = organization.key;
    const before = await stored(organization);

    const response = await rotateKey(server, id, body);

    expect(response).not.toHaveProperty('previousSecretExpiresAt');
    expect(await acceptedOf(organization, [apiKey, response.apiKey])).toEqual([false, true]);
    const after = await stored(organization);
    expect(after).not.toHaveProperty('previous');
    expect(JSON.stringify(after)).not.toContain(before['secretHash']);
    expect(after['secretHash']).toMatch(/^\$argon2id\$/);
  });

  it('with a grace period of up to a week shows when the old secret expires, and so does the list', async () => {
    const organization = await withNewKey();
    const { apiKey, ...response } = await rotateKey(server, organization.key.id, { graceSeconds: week });
    expect(Date.parse(String(response['previousSecretExpiresAt']))).toBe(
      Date.parse(String(response['rotatedAt'])) + week * 1_000,
    );
    // Before the key is used, which adds `lastUsedAt` some time later.
    expect(await findListedKey(organization)).toEqual(response);
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);
  });

  it('of an expired key is possible, and the key stays expired', async () => {
    const organization = await withNewKey();
    const keys = (await server.database()).collection('apiKeys');
    const expiresAt = new Date(Date.now() - 1_000);
    await keys.updateOne({ keyPrefix: organization.key.keyPrefix }, { $set: { expiresAt } });

    const response = await rotateKey(server, organization.key.id, { graceSeconds: 60 });

    expect(response).toMatchObject({ status: 'expired', expiresAt: expiresAt.toISOString() });
    expect(await acceptedOf(organization, [organization.key.apiKey, response.apiKey])).toEqual([false, false]);
  });
});

describe('revoking a key during its grace period', () => {
  it('removes the previous secret and its listed expiry', async () => {
    const organization = await withNewKey();
    const { apiKey } = await rotateKey(server, organization.key.id, { graceSeconds: week });
    await revokeKey(server, organization.key.id).expect(200);
    expect(await stored(organization)).not.toHaveProperty('previous');
    expect(await findListedKey(organization)).toMatchObject({ status: 'revoked' });
    expect(await findListedKey(organization)).not.toHaveProperty('previousSecretExpiresAt');
    expect(await acceptedOf(organization, [organization.key.apiKey, apiKey])).toEqual([false, false]);
  });
});

describe('DELETE /api-keys/{id}/previous-secret', () => {
  it('ends the grace period at once and keeps the newest secret', async () => {
    const organization = await withNewKey();
    const { id, apiKey: first } = organization.key;
    const { apiKey, ...rest } = await rotateKey(server, id, { graceSeconds: week });

    const response = await endGracePeriod(server, id);

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ message: expect.stringMatching(/\S/) as string });
    expect(await acceptedOf(organization, [first, apiKey])).toEqual([false, true]);
    const { previousSecretExpiresAt, ...left } = rest;
    expect(previousSecretExpiresAt).toBeDefined();
    expect(await findListedKey(organization)).toEqual({ ...left, revision: expect.any(Number) as number });
    expect(await stored(organization)).not.toHaveProperty('previous');
  });
});

describe('the previous secret during its grace period', () => {
  it('stops working when the grace period ends and is no longer listed', async () => {
    const organization = await withNewKey();
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
    const organization = await withNewKey();
    const { id, apiKey: first } = organization.key;
    const { apiKey: second } = await rotateKey(server, id, { graceSeconds: 3_600 });
    expect(await acceptedOf(organization, [first, second])).toEqual([true, true]);
    const { apiKey: third } = await rotateKey(server, id, { graceSeconds });
    expect(await acceptedOf(organization, [first, second, third])).toEqual(expected);
  });
});

describe('two changes of a key at the same time', () => {
  const rounds = 3;

  it('two rotations: the newest secret works, and all others get 409 and no secret', async () => {
    let conflicts = 0;
    for (let round = 0; round < rounds; round++) {
      const organization = await withNewKey();
      const { id, apiKey } = organization.key;
      const responses = await Promise.all(Array.from({ length: 4 }, async () => requestRotation(server, id)));
      const lost = responses.filter(({ status }) => status !== 200);
      for (const response of lost) {
        expectError(response, 40904);
        expect(response.text).not.toContain('ffk_live_');
      }
      conflicts += lost.length;
      const issued = responses.filter(({ status }) => status === 200).map(({ body }) => body as Key);
      // A later rotation has replaced each secret but the newest.
      issued.sort((one, other) => String(one['rotatedAt']).localeCompare(String(other['rotatedAt'])));
      const accepted = await acceptedOf(organization, [apiKey, ...issued.map((key) => key.apiKey)]);
      expect(accepted).toEqual([false, ...issued.slice(1).map(() => false), true]);
      expect((await findListedKey(organization))?.['rotatedAt']).toBe(issued.at(-1)?.['rotatedAt']);
    }
    // Without any conflict the requests would not have overlapped.
    expect(conflicts).toBeGreaterThan(0);
  });

  it('a rotation and a revocation: the key is revoked and no secret works', async () => {
    for (let round = 0; round < rounds; round++) {
      const organization = await withNewKey();
      const { id, apiKey } = organization.key;
      const rotate = async () => requestRotation(server, id, { graceSeconds: 3_600 });
      const revoke = async () => revokeKey(server, id).expect(200);
      const first = round % 2 === 0 ? undefined : revoke();
      const [response] = await Promise.all([rotate(), first ?? revoke()]);
      if (response.status !== 200) expectError(response, 40903);
      const issued = response.status === 200 ? [(response.body as Key).apiKey] : [];
      expect(await acceptedOf(organization, [apiKey, ...issued])).not.toContain(true);
      expect((await findListedKey(organization))?.status).toBe('revoked');
      expectError(await requestRotation(server, id), 40903);
    }
  });
});
