import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { findListedKey, type Key } from '../support/api-keys.js';
import { createKey, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
/** Is in every name and URL to search for, because the lists have the records of all tests. */
const mark = randomUUID().slice(0, 8);
let own: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  [own, other] = [await createOrganization(server, 'Own'), await createOrganization(server, 'Other')];
});

interface Page {
  data: { name: string; organizationId: string; organizationName: string; status: string }[];
  total: number;
}

const day = 24 * 60 * 60 * 1_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * day);

/** Stores a key, with times that no route sets. */
async function store(organization: TestOrganization, name: string, fields: object = {}): Promise<void> {
  const { keyPrefix } = await createKey(server, organization.id, { name: `${mark} ${name}` });
  if (Object.keys(fields).length === 0) return;
  await (await server.database()).collection('apiKeys').updateOne({ keyPrefix }, { $set: fields });
}

describe('GET /api-keys', () => {
  beforeAll(async () => {
    const old = { createdAt: daysFromNow(-200) };
    await store(own, 'old, never used', { ...old });
    await store(own, 'old, used long ago', { ...old, lastUsedAt: daysFromNow(-120) });
    await store(own, 'old, used lately', { ...old, lastUsedAt: daysFromNow(-1) });
    await store(own, 'expired', { ...old, expiresAt: daysFromNow(-10), lastUsedAt: daysFromNow(-11) });
    await store(other, 'expires soon', { expiresAt: daysFromNow(10) });
    await store(other, 'expires late', { expiresAt: daysFromNow(100) });
    await store(other, 'revoked', { ...old, status: 'revoked', expiresAt: daysFromNow(-5) });
  });

  const list = (query: object) => server.asSuperAdmin('get', '/api-keys').query({ search: mark, ...query });
  const names = (data: Page['data']) => data.map(({ name }) => name.replace(`${mark} `, ''));

  /** The names of the keys that match. */
  async function namesOf(query: object): Promise<string[]> {
    const { data, total } = (await list({ ...query, limit: 100 }).expect(200)).body as Page;
    expect(data).toHaveLength(total);
    return names(data);
  }

  it('lists the keys that expire first before others, with or without those of disabled organizations', async () => {
    const [enabled, disabled, creatorless] = [
      await createOrganization(server, 'Enabled'),
      await createOrganization(server, 'Disabled'),
      await createOrganization(server, 'Without its creator'),
    ];
    await server.asSuperAdmin('patch', `/organizations/${disabled.id}`).send({ disabled: true }).expect(200);
    await server.asSuperAdmin('patch', `/users/${creatorless.creator._id}`).send({ disabled: true }).expect(200);
    for (let days = 29; days > 10; days -= 1) await store(enabled, `in ${days}`, { expiresAt: daysFromNow(days) });
    await store(disabled, 'of a disabled one', { expiresAt: daysFromNow(2) });
    await store(creatorless, 'of a creatorless one', { expiresAt: daysFromNow(1) });
    const inTime = { status: 'active', expiresBefore: daysFromNow(30).toISOString(), limit: 10 };
    const found = async (query: object) => {
      const { data, total } = (await list({ ...inTime, ...query }).expect(200)).body as Page;
      return [total, ...names(data)];
    };
    const first = Array.from({ length: 10 }, (_, index) => `in ${11 + index}`);
    expect(await found({ organizationDisabled: false })).toEqual([20, 'expires soon', ...first.slice(0, 9)]);
    expect(await found({ organizationDisabled: false, organizationId: enabled.id })).toEqual([19, ...first]);
    expect(await found({ organizationDisabled: true })).toEqual([2, 'of a creatorless one', 'of a disabled one']);
    expect(await found({ organizationDisabled: true, organizationId: enabled.id })).toEqual([0]);
    for (const { key } of [disabled, creatorless]) {
      const marked = await server.asSuperAdmin('get', `/api-keys/${key.id}`).expect(200);
      expect(marked.body).toMatchObject({ data: { organizationDisabled: true, status: 'active' } });
    }
    const organizationId = { $in: [enabled.id, disabled.id, creatorless.id].map((id) => new ObjectId(id)) };
    await (await server.database()).collection('apiKeys').deleteMany({ organizationId });
  });

  it('lists the keys of all organizations by creation, without secrets', async () => {
    const response = await list({ limit: 100 }).expect(200);
    const { data } = response.body as Page;
    const owners = new Map(data.map(({ organizationId, organizationName }) => [organizationId, organizationName]));
    expect([...owners]).toEqual([
      [own.id, 'Own'],
      [other.id, 'Other'],
    ]);
    expect(names(data.filter((key) => 'lastUsedAt' in key))).toEqual([
      'old, used long ago',
      'old, used lately',
      'expired',
    ]);
    const created = data.map((key) => String((key as Record<string, unknown>)['createdAt']));
    expect(created).toEqual(created.toSorted());
    expect(response.text).not.toMatch(/argon2|hash|"apiKey"/i);
  });

  it.each<[string, object, string[]]>([
    ['status=revoked', { status: 'revoked' }, ['revoked']],
    ['status=expired', { status: 'expired' }, ['expired']],
    [
      'expiresBefore in 30 days, with expired keys',
      { expiresBefore: daysFromNow(30).toISOString() },
      ['expired', 'revoked', 'expires soon'],
    ],
    [
      'active keys that expire in 30 days',
      { expiresBefore: daysFromNow(30).toISOString(), status: 'active' },
      ['expires soon'],
    ],
    [
      'unusedSince 90 days ago, without keys created or used since',
      { unusedSince: daysFromNow(-90).toISOString() },
      ['old, never used', 'old, used long ago', 'revoked'],
    ],
    [
      'expired keys unused for 5 days that expired before 7 days ago',
      {
        unusedSince: daysFromNow(-5).toISOString(),
        expiresBefore: daysFromNow(-7).toISOString(),
        status: 'expired',
      },
      ['expired'],
    ],
  ])('filters by %s', async (_what, query, expected) => {
    expect((await namesOf(query)).sort()).toEqual([...expected].sort());
  });

  it('searches names and prefixes, ignoring case', async () => {
    expect(await namesOf({ search: `${mark} EXPIRES`.toUpperCase() })).toEqual(['expires soon', 'expires late']);
    expect(await namesOf({ search: `${mark} old, used (l` })).toEqual([]);
    const { data } = (await list({ search: own.key.keyPrefix.toLowerCase() }).expect(200)).body as { data: Key[] };
    expect(data.map(({ id }) => id)).toEqual([own.key.id]);
  });

  it('/{id} returns a key as the list does', async () => {
    const response = await server.asSuperAdmin('get', `/api-keys/${own.key.id}`).expect(200);
    expect(response.body).toEqual({ data: await findListedKey(own) });
  });
});

describe('GET /webhook-endpoints of the admin API', () => {
  /** The endpoints in order of creation, as their organizations read them. */
  let created: Stored[];

  /** Creates an endpoint. */
  async function create(organization: TestOrganization, host = 'erp'): Promise<string> {
    const body = { url: `https://${host}-${mark}.example.com/webhooks` };
    return ((await organization.call('post', '/webhook-endpoints').send(body).expect(201)).body as Stored)._id;
  }

  beforeAll(async () => {
    const [failing, active, disabled] = [await create(own), await create(other), await create(own, 'Mirror')];
    // Only a failed delivery causes this state.
    const endpoints = (await server.database()).collection('webhookEndpoints');
    await endpoints.updateOne({ _id: new ObjectId(failing) }, { $set: { failingSince: new Date() } });
    await own.call('patch', `/webhook-endpoints/${disabled}`).send({ isEnabled: false }).expect(200);
    created = [];
    for (const [organization, _id] of [
      [own, failing],
      [other, active],
      [own, disabled],
    ] as const) {
      const response = await organization.call('get', `/webhook-endpoints/${_id}`).expect(200);
      expect(response.body).toMatchObject({ data: { organizationId: organization.id } });
      const organizationName = organization === own ? 'Own' : 'Other';
      created.push({ ...(response.body as { data: Stored }).data, organizationName });
    }
  });

  const list = (query: object = {}) =>
    server.asSuperAdmin('get', '/webhook-endpoints').query({ search: mark, ...query });

  it('lists the endpoints of all organizations by creation, with their organization and without secrets', async () => {
    const response = await list().expect(200);
    expect(response.body).toEqual({ data: created, total: 3 });
    expect(response.text).not.toMatch(/whsec_|secret/i);
  });

  it.each([
    ['failing', 0],
    ['active', 1],
    ['disabled', 2],
  ])('filters by status=%s', async (status, index) => {
    expect(created[index]).toMatchObject({ status });
    expect((await list({ status })).body).toEqual({ data: [created[index]], total: 1 });
  });

  it.each([
    ['organization', [2]],
    ['gone', []],
    ['gone,organization', [2]],
  ])('filters by disabledReason=%s', async (disabledReason, indexes) => {
    const data = indexes.map((index) => created[index]);
    expect((await list({ disabledReason })).body).toEqual({ data, total: data.length });
    expect((await list({ disabledReason, status: 'active' })).body).toEqual({ data: [], total: 0 });
  });

  it('filters by organization, and by a part of the URL', async () => {
    expect((await list({ organizationId: other.id })).body).toEqual({ data: [created[1]], total: 1 });
    expect((await list({ search: `MIRROR-${mark}.`.toUpperCase() })).body).toEqual({ data: [created[2]], total: 1 });
  });
});
