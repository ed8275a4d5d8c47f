import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { logLines } from '../support/preload.js';
import { RunningServer } from '../support/server.js';

interface Hour {
  hour: string;
  requests: number;
  errors: number;
  errorsByCode?: Record<string, number>;
}

/** Servers on one database; the second one starts when the first has stopped, which stores its counts. */
let first: RunningServer;
let server: RunningServer;
let own: TestOrganization;
let other: TestOrganization;
let quiet: TestOrganization;
let limited: TestOrganization;
let limitedKey: { id: string; apiKey: string };
let revokedKey: { id: string; apiKey: string };

beforeAll(async () => {
  first = await RunningServer.start();
  [own, other, quiet, limited] = [
    await createOrganization(first, 'Own'),
    await createOrganization(first, 'Other'),
    await createOrganization(first, 'Quiet'),
    await createOrganization(first, 'Limited'),
  ];
  await own.call('get', '/teams').expect(200);
  await own.call('get', `/teams/${unknownId}`).expect(403);
  await own.call('post', '/teams').send({}).expect(400);
  await other.call('get', '/seasons').expect(200);
  const limits = { scopes: ['seasons:read'], allowedAddresses: ['203.0.113.7'] };
  limitedKey = await createKey(first, limited.id, limits);
  for (let time = 0; time < 2; time++) expectError(await limited.call('get', '/teams', limitedKey.apiKey), 40306);
  await first.asSuperAdmin('patch', `/api-keys/${limitedKey.id}`).send({ allowedAddresses: null }).expect(200);
  expectError(await limited.call('get', '/teams', limitedKey.apiKey), 40305);
  revokedKey = await createKey(first, limited.id);
  await limited.call('get', '/teams', revokedKey.apiKey).expect(200);
  await limited.call('get', `/teams/${unknownId}`, revokedKey.apiKey).expect(403);
  await first.asSuperAdmin('delete', `/api-keys/${revokedKey.id}`).expect(200);
  for (const path of ['/teams', '/seasons', '/teams']) await limited.call('get', path, revokedKey.apiKey).expect(401);
  // Requests without a valid key belong to no organization.
  await own.call('get', '/teams', `${own.key.apiKey}x`).expect(401);
  await first.asSuperAdmin('get', `/organizations/${own.id}`).expect(200);
  await first.end();
  server = await RunningServer.start({ MONGODB_URI: first.databaseUri });
});

afterAll(async () => {
  await server.end();
  await first.stop();
});

const usageOf = (id: string, query: object = {}) =>
  server.asSuperAdmin('get', `/organizations/${id}/usage`).query(query);
const list = (query: object = {}) => server.asSuperAdmin('get', '/usage').query(query);
const sumOf = (hours: Hour[]) => ({
  requests: hours.reduce((sum, { requests }) => sum + requests, 0),
  errors: hours.reduce((sum, { errors }) => sum + errors, 0),
});

describe('GET /organizations/{organizationId}/usage', () => {
  const hoursOf = async (id: string, query: object = {}) =>
    ((await usageOf(id, query).expect(200)).body as { data: Hour[] }).data;

  it('returns the requests that the organization made before a restart, and no others', async () => {
    expect(sumOf(await hoursOf(own.id))).toEqual({ requests: 3, errors: 2 });
    expect(sumOf(await hoursOf(other.id))).toEqual({ requests: 1, errors: 0 });
    expect(sumOf(await hoursOf(quiet.id))).toEqual({ requests: 0, errors: 0 });
  });

  it('counts refusals of a valid key by error code; the log has its key, organization and address', async () => {
    const hours = await hoursOf(limited.id);
    expect(hours.map(({ errorsByCode }) => errorsByCode).filter(Boolean)).toEqual([{ 40301: 1, 40305: 1, 40306: 2 }]);
    expect(sumOf(hours)).toEqual({ requests: 5, errors: 4 });
    const lines = logLines(first.log, { msg: 'request completed' }).filter(
      ({ error }) => error === 40306 || error === 40305,
    );
    const known = { apiKeyId: limitedKey.id, organizationId: limited.id, address: '127.0.0.1' };
    expect(lines).toEqual(Array(3).fill(expect.objectContaining(known)));
  });

  it('returns those of one key, without requests that were rejected because it is revoked', async () => {
    const ofKey = async (apiKeyId: string) => hoursOf(limited.id, { apiKeyId });
    const hours = await ofKey(revokedKey.id);
    expect([hours.length, sumOf(hours)]).toEqual([24, { requests: 2, errors: 1 }]);
    expect(hours.map(({ errorsByCode }) => errorsByCode).filter(Boolean)).toEqual([{ 40301: 1 }]);
    expect(sumOf(await ofKey(limitedKey.id))).toEqual({ requests: 3, errors: 3 });
    expect(sumOf(await hoursOf(own.id, { apiKeyId: limitedKey.id }))).toEqual({ requests: 0, errors: 0 });
  });

  it('returns an entry for each hour, oldest first, 24 by default', async () => {
    for (const [query, length] of [
      [{}, 24],
      [{ hours: 168 }, 168],
    ] as const) {
      const times = (await hoursOf(own.id, query)).map(({ hour }) => Date.parse(hour));
      const last = times.at(-1) ?? 0;
      expect(times).toEqual(Array.from({ length }, (_, index) => last - (length - 1 - index) * 3_600_000));
      expect(last % 3_600_000).toBe(0);
      expect(Date.now() - last).toBeLessThan(3_600_000 + 60_000);
    }
  });
});

describe('GET /organizations/{organizationId}/usage/outcomes', () => {
  const outcomesOf = (id: string, query: object = {}) =>
    server.asSuperAdmin('get', `/organizations/${id}/usage/outcomes`).query(query);

  it('counts refusals by key, operation and error code, with the scope or the address', async () => {
    const { id, apiKey } = limitedKey;
    const key = { id, name: expect.any(String) as string, keyPrefix: apiKey.slice(0, 21) };
    const lastHour = expect.stringMatching(/:00:00\.000Z$/) as string;
    const common = { apiKey: key, operation: 'listTeams', status: 403, lastHour };
    const refused = { errorCode: 40306, message: 'The API key may not be used from this address', detail: '127.0.0.1' };
    const lacking = { errorCode: 40305, message: 'The API key lacks a required scope', detail: 'teams:read' };
    const data = [
      { ...common, ...refused, requests: 2 },
      { ...common, ...lacking, requests: 1 },
    ];
    const apiKeyId = id;
    expect((await outcomesOf(limited.id, { apiKeyId }).expect(200)).body).toEqual({ data, total: 2 });
    const second = { data: data.slice(1), total: 2 };
    expect((await outcomesOf(limited.id, { apiKeyId, limit: 1, page: 2 })).body).toEqual(second);
  });

  it('counts the uses of a key since it was revoked, with the latest address', async () => {
    const query = { apiKeyId: revokedKey.id, isRejected: true };
    const { data } = (await outcomesOf(limited.id, query).expect(200)).body as { data: object[] };
    expect(data).toHaveLength(1);
    const others = await outcomesOf(limited.id, { ...query, isRejected: false, isError: true }).expect(200);
    expect(others.body).toMatchObject({ data: [{ errorCode: 40301 }], total: 1 });
    const rejected = { rejection: 'revoked', status: 401, errorCode: 40101, detail: '127.0.0.1', requests: 3 };
    expect(data[0]).toMatchObject(rejected);
    expect(data[0]).not.toHaveProperty('operation');
  });

  it('filters by outcome and key, without details of other codes', async () => {
    const statuses = async (query: object) => {
      const { data } = (await outcomesOf(own.id, query).expect(200)).body as { data: { status: number }[] };
      expect(data.every((outcome) => !('detail' in outcome))).toBe(true);
      return data.map(({ status }) => status).sort();
    };
    expect(await statuses({ isError: false, apiKeyId: own.key.id })).toEqual([200]);
    expect(await statuses({ isError: true })).toEqual([400, 403]);
    expect(await statuses({ apiKeyId: unknownId })).toEqual([]);
  });
});

describe('GET /usage', () => {
  it('lists the organizations with the most requests first, and the number of all', async () => {
    const { data, total } = (await list().expect(200)).body as { data: { hours: Hour[] }[]; total: number };
    expect(data.map(({ hours, ...entry }) => entry)).toEqual([
      { organization: { _id: limited.id, name: 'Limited' }, requests: 5, errors: 4 },
      { organization: { _id: own.id, name: 'Own' }, requests: 3, errors: 2 },
      { organization: { _id: other.id, name: 'Other' }, requests: 1, errors: 0 },
    ]);
    expect(data.map(({ hours }) => [hours.length, sumOf(hours)])).toEqual([
      [24, { requests: 5, errors: 4 }],
      [24, { requests: 3, errors: 2 }],
      [24, { requests: 1, errors: 0 }],
    ]);
    expect(total).toBe(3);
    expect((await list({ limit: 1 })).body).toEqual({ data: data.slice(0, 1), total: 3 });
  });
});
