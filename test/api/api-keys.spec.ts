import { apiKeyScopes } from '../../src/access/public-api.js';
import { findListedKey, type Key, rotateKey } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';

const oneHourFromNow = () => new Date(Date.now() + 3_600_000).toISOString();

let server: RunningServer;
/** For tests that create and count no keys. */
let organization: TestOrganization;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
});

afterAll(() => server.stop());

const create = (body: object) => server.asSuperAdmin('post', '/api-keys').send(body);
const createLimited = (limits: object) => create({ name: 'Limited', organizationId: organization.id, ...limits });
const addressAt = (index: number) => `10.0.${Math.floor(index / 256)}.${index % 256}`;

describe('POST /api-keys', () => {
  it('returns the key with its full secret and its creator', async () => {
    const response = await create({ name: ' Registration platform ', organizationId: organization.id });

    expect(response.status).toBe(201);
    const { id, apiKey, keyPrefix, createdBy, createdAt, ...rest } = response.body as Key;
    expect(rest).toEqual({ name: 'Registration platform', organizationId: organization.id, status: 'active' });
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(Math.abs(Date.parse(String(createdAt)) - Date.now())).toBeLessThan(60_000);
    expect(apiKey.startsWith(keyPrefix)).toBe(true);
    const me = await server.asSuperAdmin('get', '/auth/me');
    const { _id, name } = (me.body as { data: { _id: string; name: string } }).data;
    expect(createdBy).toEqual({ _id, name, email: superAdmin.email });
    await organization.call('get', '/teams', apiKey).expect(200);
  });

  it('returns the expiry of a key, which must be in the future', async () => {
    const expiresAt = oneHourFromNow();
    const body = { name: 'A', organizationId: organization.id };
    const response = await create({ ...body, expiresAt }).expect(201);
    expect(response.body).toMatchObject({ expiresAt, status: 'active' });
    await organization.call('get', '/teams', (response.body as Key).apiKey).expect(200);
    for (const past of [new Date(Date.now() - 1_000).toISOString(), '1970-01-01T00:00:00Z']) {
      expectFieldError(await create({ ...body, expiresAt: past }), 'expiresAt');
    }
  });

  it('returns 40406 for an unknown organization', async () => {
    expectError(await create({ name: 'A', organizationId: 'f'.repeat(24) }), 40406);
  });

  it.each<[string, object, string]>([
    ['a name of 121 characters', { name: 'x'.repeat(121) }, 'name'],
    ['a malformed organizationId', { organizationId: 'bay-area' }, 'organizationId'],
    ['an expiresAt that is null', { expiresAt: null }, 'expiresAt'],
    ['a status', { status: 'active' }, 'status'],
  ])('rejects %s, naming the field', async (_what, fields, field) => {
    expectFieldError(await create({ name: 'A', organizationId: organization.id, ...fields }), field);
  });
});

describe('an expired key', () => {
  it('gets 401 and is listed as expired', async () => {
    const own = await createOrganization(server);
    const { id, apiKey, keyPrefix } = await createKey(server, own.id, { expiresAt: oneHourFromNow() });
    await own.call('get', '/teams', apiKey).expect(200);
    const keys = (await server.database()).collection('apiKeys');
    const past = new Date(Date.now() - 1);
    expect((await keys.updateOne({ keyPrefix }, { $set: { expiresAt: past } })).modifiedCount).toBe(1);

    await eventually('the key is rejected', async () => (await own.call('get', '/teams', apiKey)).status === 401, 2);
    const error = expectError(await own.call('get', '/teams', apiKey), 40101);

    expect(error.message).toBe('Invalid API key');
    expect(await findListedKey(own, id)).toMatchObject({ status: 'expired', expiresAt: past.toISOString() });
  });
});

describe('scopes and allowed addresses of a key', () => {
  it.each<[string, object]>([
    [
      'both, and an expiry',
      { scopes: ['statistics:read'], allowedAddresses: ['::1'], expiresAt: '2199-01-01T00:00:00.000Z' },
    ],
    ['neither', {}],
  ])('are returned by creation, list and rotation as sent: %s', async (_what, limits) => {
    const { apiKey, ...created } = (await createLimited(limits).expect(201)).body as Key;
    const of = (key: object | undefined) =>
      Object.fromEntries(
        Object.entries(key ?? {}).filter(([field]) => ['scopes', 'allowedAddresses', 'expiresAt'].includes(field)),
      );

    expect(apiKey.startsWith(created.keyPrefix)).toBe(true);
    expect(of(created)).toEqual(limits);
    expect(await findListedKey(organization, created.id)).toEqual(created);
    expect(of(await rotateKey(server, created.id))).toEqual(limits);
    expect(of(await findListedKey(organization, created.id))).toEqual(limits);
  });

  it('can be all scopes and 50 addresses', async () => {
    const scopes = [...apiKeyScopes];
    const allowedAddresses = Array.from({ length: 50 }, (_, index) => addressAt(index));
    expect((await createLimited({ scopes, allowedAddresses }).expect(201)).body).toMatchObject({
      scopes,
      allowedAddresses,
    });
  });

  it('are trimmed', async () => {
    const response = await createLimited({ scopes: [' teams:read'], allowedAddresses: [' 203.0.113.7 '] }).expect(201);
    expect(response.body).toMatchObject({ scopes: ['teams:read'], allowedAddresses: ['203.0.113.7'] });
  });

  it.each<[string, unknown, string]>([
    ['an unknown scope', ['teams:read', 'teams:delete'], 'scopes[1]'],
    ['a wildcard for all resources', ['*'], 'scopes[0]'],
    ['a duplicate', ['teams:read', 'players:*', 'teams:read'], 'scopes[2]'],
    ['one more than there are', [...apiKeyScopes, 'teams:read'], 'scopes'],
  ])('rejects scopes with %s, naming the entry', async (_what, scopes, field) => {
    expectFieldError(await createLimited({ scopes }), field);
  });

  it.each<[string, unknown, string]>([
    ['a host name', ['203.0.113.7', 'example.com'], 'allowedAddresses[1]'],
    ['a network of 33 bits', ['203.0.113.0/33'], 'allowedAddresses[0]'],
    ['51 characters', [`fe80::1%${'a'.repeat(43)}`], 'allowedAddresses[0]'],
    ['a duplicate', ['203.0.113.7', '203.0.113.8', '203.0.113.7 '], 'allowedAddresses[2]'],
    ['51 entries', Array.from({ length: 51 }, (_, index) => addressAt(index)), 'allowedAddresses'],
  ])('rejects addresses with %s, naming the entry', async (_what, allowedAddresses, field) => {
    expectFieldError(await createLimited({ allowedAddresses }), field);
  });

  it.each(['scopes', 'allowedAddresses'])('asks to omit %s instead of sending an empty list', async (field) => {
    expect(expectFieldError(await createLimited({ [field]: [] }), field).message).toContain('omit it');
  });
});
