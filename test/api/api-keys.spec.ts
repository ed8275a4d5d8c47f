import { findListedKey, type Key, rotateKey } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';

const oneHourFromNow = () => new Date(Date.now() + 3_600_000).toISOString();

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
});
