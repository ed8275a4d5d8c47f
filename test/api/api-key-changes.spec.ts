import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { type Key, findListedKey, revokeKey, requestRotation, isKeyAccepted } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, createOrganization, TestOrganization } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { ObjectId } from 'mongodb';
import type request from 'supertest';
import { auditPage } from '../support/audit.js';

const server = RunningServer.forTests();

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
    const organization = await createOrganization(server);
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
    const organization = await createOrganization(server);
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

const organization = TestOrganization.forTests(server, beforeEach);

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

  it.each(['scopes', 'allowedAddresses', 'expiresAt'])('clears %s with null, and only it', async (field) => {
    const { id } = await createKey(server, organization.id, { name: 'ERP', ...limits });
    const { [field]: cleared, ...others } = { name: 'ERP', ...limits } as Record<string, unknown>;
    expect(cleared).toBeDefined();

    const changed = await update(id, { [field]: null });

    expect(changed).toMatchObject(others);
    expect(changed).not.toHaveProperty(field);
  });

  it('removes a scope: the next request that needs it is rejected', async () => {
    const { id, apiKey } = await createKey(server, organization.id, { scopes: ['teams:read', 'schedules:read'] });
    await organization.call('get', '/teams', apiKey).expect(200);
    await update(id, { scopes: ['schedules:read'] });
    expectError(await organization.call('get', '/teams', apiKey), 40305);
    await organization.call('get', '/schedules', apiKey).expect(200);
    await update(id, { scopes: null });
    await organization.call('get', '/teams', apiKey).expect(200);
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
