import type request from 'supertest';
import { findListedKey, type Key, rotateKey, revokeKey } from '../support/api-keys.js';
import { expectFieldError, expectError, expectInvalidKey } from '../support/expectations.js';
import { createKey, TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { apiKeyScopes } from '../../src/access/public-api.js';
import { version } from '../../src/config/package.js';
import { Agent } from 'node:http';

const server = RunningServer.forTests();

/** For tests that create and count no keys. */
const organization = TestOrganization.forTests(server);

const create = (body: object) => server.asSuperAdmin('post', '/api-keys').send(body);
const createLimited = (limits: object) => create({ name: 'Limited', organizationId: organization.id, ...limits });

describe('POST /api-keys', () => {
  it('returns the key with its full secret and its creator', async () => {
    const response = await create({ name: ' Registration platform ', organizationId: organization.id });

    expect(response.status).toBe(201);
    const { id, apiKey, keyPrefix, createdBy, createdAt, ...rest } = response.body as Key;
    const fields = {
      name: 'Registration platform',
      organizationId: organization.id,
      organizationName: 'Bay Area Flag Football',
      isSandbox: false,
      status: 'active',
      revision: expect.any(Number) as number,
    };
    expect(rest).toEqual(fields);
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(Math.abs(Date.parse(String(createdAt)) - Date.now())).toBeLessThan(60_000);
    expect(apiKey.startsWith(keyPrefix)).toBe(true);
    const me = await server.asSuperAdmin('get', '/auth/me');
    const { _id, name } = (me.body as { data: { _id: string; name: string } }).data;
    expect(createdBy).toEqual({ _id, name, email: superAdmin.email });
    await organization.call('get', '/teams', apiKey).expect(200);
  });
});

describe('scopes, allowed addresses and the expiry of a key', () => {
  it('are returned by creation, list and rotation as sent', async () => {
    const expiresAt = '2199-01-01T00:00:00.000Z';
    const limits = { scopes: ['statistics:read'], allowedAddresses: ['::1'], expiresAt };
    const { apiKey, ...created } = (await createLimited(limits).expect(201)).body as Key;
    expect(apiKey.startsWith(created.keyPrefix)).toBe(true);
    expect(created).toMatchObject(limits);
    expect(await findListedKey(organization, created.id)).toEqual(created);
    expect(await rotateKey(server, created.id)).toMatchObject(limits);
    expect(await findListedKey(organization, created.id)).toMatchObject(limits);
    const past = new Date(Date.now() - 1_000).toISOString();
    expectFieldError(await createLimited({ ...limits, expiresAt: past }), 'expiresAt');
  });
});

describe('GET /me', () => {
  it('says what an unrestricted key can do, with a rate limit of its own', async () => {
    await organization.call('get', '/teams').expect(200);
    const response = await organization.call('get', '/me').expect(200);
    const { keyPrefix } = organization.key;
    expect(response.body).toEqual({
      data: {
        organization: { _id: organization.id, name: 'Bay Area Flag Football', isSandbox: false },
        key: {
          name: 'Registration platform',
          keyPrefix,
          scopes: apiKeyScopes,
          allowedAddresses: ['0.0.0.0/0', '::/0'],
        },
        limits: { perMinute: 1_000_000 },
        serverTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        version,
      },
    });
    expect(response.headers['ratelimit-remaining']).toBe('999999');
    expectInvalidKey(await organization.call('get', '/me', `${organization.key.apiKey.slice(0, -1)}_`));
  });

  it('says what limits a key, whatever its scope', async () => {
    const expiresAt = '2199-01-01T00:00:00.000Z';
    const limits = { scopes: ['teams:read'], allowedAddresses: ['127.0.0.0/8'], expiresAt };
    const { id } = await createKey(server, organization.id, limits);
    const rotated = await server.asSuperAdmin('post', `/api-keys/${id}/rotate`).send({ graceSeconds: 3_600 });
    const { apiKey, previousSecretExpiresAt } = rotated.body as Record<'apiKey' | 'previousSecretExpiresAt', string>;
    const response = await organization.call('get', '/me', apiKey).expect(200);
    expect((response.body as { data: object }).data).toMatchObject({ key: { ...limits, previousSecretExpiresAt } });
  });
});

describe('a key with allowed addresses', () => {
  const createFor = (allowedAddresses: string[], fields: object = {}) =>
    createKey(server, organization.id, { allowedAddresses, ...fields });
  const from = (localAddress: string, key: string, path = '/teams'): request.Test =>
    organization.call('get', path, key).agent(new Agent({ localAddress }));

  it('works from an allowed address; from others it gets 40306 with the address', async () => {
    const { apiKey } = await createFor(['127.0.0.2']);
    await from('127.0.0.2', apiKey).expect(200);
    expect(expectError(await from('127.0.0.1', apiKey), 40306).message).toContain('127.0.0.1');
    expect(expectError(await from('127.0.0.3', apiKey), 40306).message).toContain('127.0.0.3');
    await from('127.0.0.2', apiKey).expect(200);
  });

  it('ignores addresses in X-Forwarded-For and Forwarded headers', async () => {
    const { apiKey } = await createFor(['203.0.113.7']);
    const forged = from('127.0.0.1', apiKey).set('X-Forwarded-For', '203.0.113.7').set('Forwarded', 'for=203.0.113.7');
    expectError(await forged, 40306);
  });

  it('gets 40101 without address details if the secret is wrong or the key is revoked', async () => {
    const { id, apiKey } = await createFor(['127.0.0.2']);
    const { apiKey: renewed } = await rotateKey(server, id);
    expectInvalidKey(await from('127.0.0.1', apiKey));
    await revokeKey(server, id).expect(200);
    expectInvalidKey(await from('127.0.0.1', renewed));
    expectInvalidKey(await from('127.0.0.2', renewed));
  });

  it('gets 40306 for the address before 40305 for the scope', async () => {
    const { apiKey } = await createFor(['127.0.0.2'], { scopes: ['seasons:read'] });
    expectError(await from('127.0.0.1', apiKey), 40306);
    expectError(await from('127.0.0.2', apiKey), 40305);
    await from('127.0.0.2', apiKey, '/seasons').expect(200);
  });
});
