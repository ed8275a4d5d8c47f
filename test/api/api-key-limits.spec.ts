import { readFileSync } from 'node:fs';
import path from 'node:path';
import { apiKeyScopes } from '../../src/common/http/public-api.js';
import { type Key, findListedKey, rotateKey } from '../support/api-keys.js';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const addresses = ['203.0.113.7', '198.51.100.0/24', '2001:db8::7', '2001:db8::/32'];

let server: RunningServer;
let organization: TestOrganization;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
});

afterAll(() => server.stop());

const create = (fields: object) =>
  server.asSuperAdmin('post', '/api-keys').send({ name: 'Limited', organizationId: organization.id, ...fields });
const addressAt = (index: number) => `10.0.${Math.floor(index / 256)}.${index % 256}`;

describe('scopes and allowed addresses of a key', () => {
  it.each<[string, object]>([
    ['scopes alone', { scopes: ['teams:read', 'players:*'] }],
    ['addresses alone', { allowedAddresses: addresses }],
    [
      'both, and an expiry',
      { scopes: ['statistics:read'], allowedAddresses: ['::1'], expiresAt: '2199-01-01T00:00:00.000Z' },
    ],
    ['neither', {}],
  ])('are returned by creation, list and rotation as sent: %s', async (_what, limits) => {
    const { apiKey, ...created } = (await create(limits).expect(201)).body as Key;
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
    expect((await create({ scopes, allowedAddresses }).expect(201)).body).toMatchObject({ scopes, allowedAddresses });
  });

  it.each([
    ['0.0.0.0/0'],
    ['::/0'],
    ['203.0.113.7/32'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001/128'],
    ['::ffff:203.0.113.7'],
    ['::ffff:203.0.113.0/120'],
    ['fe80::1'],
  ])('can include %s', async (address) => {
    expect((await create({ allowedAddresses: [address] }).expect(201)).body).toMatchObject({
      allowedAddresses: [address],
    });
  });

  it('are trimmed', async () => {
    const response = await create({ scopes: [' teams:read'], allowedAddresses: [' 203.0.113.7 '] }).expect(201);
    expect(response.body).toMatchObject({ scopes: ['teams:read'], allowedAddresses: ['203.0.113.7'] });
  });

  it.each<[string, unknown, string]>([
    ['a value other than a list', 'teams:read', 'scopes'],
    ['an object', { 0: 'teams:read' }, 'scopes'],
    ['null', null, 'scopes'],
    ['an unknown scope', ['teams:read', 'teams:delete'], 'scopes[1]'],
    ['an unknown wildcard', ['teams:*'], 'scopes[0]'],
    ['a wildcard for all resources', ['*'], 'scopes[0]'],
    ['another case', ['Teams:read'], 'scopes[0]'],
    ['a number', ['teams:read', 'teams:write', 7], 'scopes[2]'],
    ['a null entry', [null], 'scopes[0]'],
    ['a nested list', [['teams:read']], 'scopes[0]'],
    ['a duplicate', ['teams:read', 'players:*', 'teams:read'], 'scopes[2]'],
    ['one more than there are', [...apiKeyScopes, 'teams:read'], 'scopes'],
  ])('rejects scopes with %s, naming the entry', async (_what, scopes, field) => {
    expectFieldError(await create({ scopes }), field);
  });

  it.each<[string, unknown, string]>([
    ['a value other than a list', '203.0.113.7', 'allowedAddresses'],
    ['null', null, 'allowedAddresses'],
    ['a host name', ['203.0.113.7', 'example.com'], 'allowedAddresses[1]'],
    ['three parts', ['127.0.1'], 'allowedAddresses[0]'],
    ['hexadecimal parts', ['0x7f.0.0.1'], 'allowedAddresses[0]'],
    ['a number', [2_130_706_433], 'allowedAddresses[0]'],
    ['a network of 33 bits', ['203.0.113.0/33'], 'allowedAddresses[0]'],
    ['a network of 129 bits', ['2001:db8::/129'], 'allowedAddresses[0]'],
    ['a network with a mask', ['203.0.113.0/255.255.255.0'], 'allowedAddresses[0]'],
    ['a network without bits', ['203.0.113.0/'], 'allowedAddresses[0]'],
    ['a port', ['203.0.113.7:80'], 'allowedAddresses[0]'],
    ['an empty string', ['203.0.113.7', ''], 'allowedAddresses[1]'],
    ['51 characters', [`fe80::1%${'a'.repeat(43)}`], 'allowedAddresses[0]'],
    ['a duplicate', ['203.0.113.7', '203.0.113.8', '203.0.113.7 '], 'allowedAddresses[2]'],
    ['51 entries', Array.from({ length: 51 }, (_, index) => addressAt(index)), 'allowedAddresses'],
  ])('rejects addresses with %s, naming the entry', async (_what, allowedAddresses, field) => {
    expectFieldError(await create({ allowedAddresses }), field);
  });

  it.each(['scopes', 'allowedAddresses'])('asks to omit %s instead of sending an empty list', async (field) => {
    expect(expectFieldError(await create({ [field]: [] }), field).message).toContain('omit it');
  });

  it('reports all invalid entries at once', async () => {
    const response = await create({ scopes: ['a', 'teams:read', 'b'], allowedAddresses: ['c'], name: '' });
    const fields = expectFieldError(response, 'scopes[0]').details?.map(({ field }) => field);
    expect(fields?.sort()).toEqual(['allowedAddresses[0]', 'name', 'scopes[0]', 'scopes[2]']);
  });

  it('cannot be set or changed by a rotation', async () => {
    const { id } = (await create({ scopes: ['teams:read'] })).body as Key;
    const rotate = (fields: object) => server.asSuperAdmin('post', `/api-keys/${id}/rotate`).send(fields);
    expectFieldError(await rotate({ scopes: ['teams:write'] }), 'scopes');
    expectFieldError(await rotate({ allowedAddresses: ['::1'] }), 'allowedAddresses');
    expect(await findListedKey(organization, id)).toMatchObject({ scopes: ['teams:read'] });
  });

  it('are documented with all values, limits and examples', () => {
    const file = readFileSync(path.resolve(__dirname, '../../openapi/admin.json'), 'utf8');
    const { schemas } = (
      JSON.parse(file) as { components: { schemas: Record<string, { properties: object; enum?: string[] }> } }
    ).components;
    expect(schemas['ApiKeyScope']?.enum).toEqual(apiKeyScopes);
    expect(schemas['CreateApiKey']?.properties).toMatchObject({
      scopes: {
        type: 'array',
        items: { $ref: '#/components/schemas/ApiKeyScope' },
        minItems: 1,
        maxItems: apiKeyScopes.length,
        uniqueItems: true,
      },
      allowedAddresses: { type: 'array', items: { maxLength: 50 }, minItems: 1, maxItems: 50, uniqueItems: true },
    });
    expect(schemas['RotateApiKey']?.properties).toMatchObject({
      graceSeconds: { type: 'integer', minimum: 0, maximum: 604_800, default: 0 },
    });
    for (const name of ['ApiKeyResponse', 'ApiKeyWithSecretResponse']) {
      const expected = ['scopes', 'allowedAddresses', 'previousSecretExpiresAt'];
      expect(Object.keys(schemas[name]?.properties ?? {})).toEqual(expect.arrayContaining(expected));
    }
  });
});

describe('the expiry of a key', () => {
  it('is compared as an instant, in any time zone', async () => {
    const shifted = (milliseconds: number, hours: number) => {
      const local = new Date(Date.now() + milliseconds + hours * 3_600_000).toISOString().slice(0, 19);
      return `${local}${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
    };
    const hour = 3_600_000;
    expectFieldError(await create({ expiresAt: shifted(-hour, 14) }), 'expiresAt');
    const response = await create({ expiresAt: shifted(hour, -12) }).expect(201);
    const { expiresAt, status } = response.body as Key;
    expect(status).toBe('active');
    expect(Math.abs(Date.parse(String(expiresAt)) - (Date.now() + hour))).toBeLessThan(60_000);
  });
});
