import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer, superAdmin } from '../support/server.js';

type Key = Record<string, unknown> & { id: string; apiKey: string; keyPrefix: string };
interface Page {
  data: Record<string, unknown>[];
  total: number;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const oneHourFromNow = () => new Date(Date.now() + 3_600_000).toISOString();

let server: RunningServer;
/** For tests that create and count no keys. */
let organization: TestOrganization;

beforeAll(async () => {
  // Logs at every level, so that the test can search them for secrets.
  server = await RunningServer.start({ ...preload(cheapHashes), LOG_LEVEL: 'trace' });
  organization = await createOrganization(server);
});

afterAll(() => server.stop());

const create = (body: object) => server.asSuperAdmin('post', '/api-keys').send(body);
const list = (query: object) => server.asSuperAdmin('get', '/api-keys').query(query);

/** CRC-32 computed from its polynomial, independently of the server, which uses zlib. */
function crc32(text: string): number {
  let register = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    register ^= byte;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ ((register & 1) === 1 ? 0xedb88320 : 0);
  }
  return (register ^ 0xffffffff) >>> 0;
}

function checksum(text: string): string {
  let number = BigInt(crc32(text));
  let digits = '';
  while (digits.length < 6) {
    digits = base62.charAt(Number(number % 62n)) + digits;
    number /= 62n;
  }
  return digits;
}

async function wholeDatabase(): Promise<string> {
  const database = await server.database();
  const collections = await database.listCollections().toArray();
  const records = await Promise.all(collections.map(({ name }) => database.collection(name).find().toArray()));
  return JSON.stringify(records);
}

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

  it('formats a key as live prefix, 12-character ID, 32-character secret and 6-character CRC-32 in base62', async () => {
    for (let time = 0; time < 5; time++) {
      const { apiKey, keyPrefix } = await createKey(server, organization.id);
      expect(apiKey).toMatch(/^ffk_live_[0-9A-Za-z]{50}$/);
      expect(keyPrefix).toBe(apiKey.slice(0, 'ffk_live_'.length + 12));
      expect(apiKey.slice(-6)).toBe(checksum(apiKey.slice(0, -6)));
    }
  });

  it('creates a different ID and secret for every key', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => createKey(server, organization.id)));
    expect(new Set(keys.map(({ keyPrefix }) => keyPrefix)).size).toBe(5);
    expect(new Set(keys.map(({ apiKey }) => apiKey.slice(21, -6))).size).toBe(5);
  });

  it('shows the secret in no other response, and never in the database or the log', async () => {
    const own = await createOrganization(server);
    const first = await createKey(server, own.id);
    const rotated = (await server.asSuperAdmin('post', `/api-keys/${first.id}/rotate`).expect(200)).body as Key;
    const secrets = [first, rotated].map(({ apiKey }) => apiKey.slice(21, -6));
    const expired = await create({ name: first.apiKey, organizationId: own.id, expiresAt: '2020-01-01T00:00:00Z' });

    const responses = [
      await own.call('get', '/teams', rotated.apiKey),
      await own.call('get', '/teams', first.apiKey),
      await own.call('get', '/nowhere', rotated.apiKey),
      await server.call('get', '/auth/me').set('Authorization', `Bearer ${rotated.apiKey}`),
      await list({ organizationId: own.id }),
      await server.asSuperAdmin('delete', `/api-keys/${first.id}`),
      await list({ organizationId: own.id }),
    ];

    expect(expired.status).toBe(400);
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 404, 401, 200, 200, 200]);
    const places = [...responses.map(({ text }) => text), JSON.stringify(responses.map(({ headers }) => headers))];
    for (const secret of secrets) {
      expect(secret).toHaveLength(32);
      expect([...places, await wholeDatabase(), server.log].filter((text) => text.includes(secret))).toEqual([]);
    }
    expect(rotated.apiKey).not.toContain(secrets[0]);
  });

  it('never returns a hash of the secret', async () => {
    expect((await list({ organizationId: organization.id, limit: 100 })).text).not.toMatch(/argon2|hash/i);
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
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of 121 characters', { name: 'x'.repeat(121) }, 'name'],
    ['no organizationId', { organizationId: undefined }, 'organizationId'],
    ['a malformed organizationId', { organizationId: 'bay-area' }, 'organizationId'],
    ['an organizationId that is null', { organizationId: null }, 'organizationId'],
    ['an expiresAt that is null', { expiresAt: null }, 'expiresAt'],
    ['an expiresAt without a time', { expiresAt: '2199-01-01' }, 'expiresAt'],
    ['an expiresAt that is a number', { expiresAt: 4_000_000_000_000 }, 'expiresAt'],
    ['a secret chosen by the caller', { apiKey: 'ffk_live_mine' }, 'apiKey'],
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
    const { data } = (await list({ organizationId: own.id })).body as Page;
    expect(data.find((key) => key['id'] === id)).toMatchObject({ status: 'expired', expiresAt: past.toISOString() });
  });
});

describe('GET /api-keys', () => {
  it('lists the keys of an organization by creation, as returned on creation without the secret', async () => {
    const [own, other] = [await createOrganization(server), await createOrganization(server)];
    const created = [own.key as Key];
    for (const name of ['second', 'third']) created.push(await createKey(server, own.id, { name }));

    const { data, total } = (await list({ organizationId: own.id }).expect(200)).body as Page;

    expect(total).toBe(3);
    expect(data).toEqual(
      created.map((key) => Object.fromEntries(Object.entries(key).filter(([field]) => field !== 'apiKey'))),
    );
    expect(((await list({ organizationId: other.id })).body as Page).total).toBe(1);
  });

  it('lists pages with the exact total, and empty ones past the end', async () => {
    const own = await createOrganization(server);
    for (let index = 0; index < 4; index++) await createKey(server, own.id, { name: `key ${index}` });
    const page = async (query: object) => (await list({ organizationId: own.id, ...query }).expect(200)).body as Page;

    const all = await page({});
    const pages = [await page({ limit: 2 }), await page({ limit: 2, page: 2 }), await page({ limit: 2, page: 3 })];

    expect(pages.map(({ data, total }) => [data.length, total])).toEqual([
      [2, 5],
      [2, 5],
      [1, 5],
    ]);
    expect(pages.flatMap(({ data }) => data)).toEqual(all.data);
    expect(await page({ limit: 2, page: 4 })).toEqual({ data: [], total: 5 });
  });

  it('rejects an organization that does not exist', async () => {
    expectFieldError(await list({ organizationId: '' }), 'organizationId');
    expectFieldError(await list({ organizationId: 'bay-area' }), 'organizationId');
    expectError(await list({ organizationId: 'f'.repeat(24) }), 40406);
    const twice = `/api-keys?organizationId=${organization.id}&organizationId=${organization.id}`;
    expectFieldError(await server.asSuperAdmin('get', twice), 'organizationId');
  });

  it.each([
    ['page', '0'],
    ['limit', '101'],
    ['limit', 'all'],
    ['name', 'ERP'],
  ])('rejects ?%s=%s, naming the parameter', async (parameter, value) => {
    expectFieldError(await list({ organizationId: organization.id, [parameter]: value }), parameter);
  });
});
