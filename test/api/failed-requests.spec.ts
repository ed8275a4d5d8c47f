import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import { updateOrganization } from '../support/admins.js';
import { expectError, expectInvalidKey } from '../support/expectations.js';
import { createKey, createOrganization, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { unknownId } from '../support/http-routes.js';
import { RunningServer } from '../support/server.js';

interface FailedRequest {
  at: string;
  traceId: string;
  error: number;
  message: string;
  fields?: string[];
  reason?: string;
  apiKey: { id: string };
}

interface Listed {
  data: FailedRequest[];
  nextCursor?: string;
}

const server = RunningServer.forTests();
const own = TestOrganization.forTests(server);

const keys = async () => (await server.database()).collection('apiKeys');
const list = async (query: object): Promise<Listed> =>
  (await server.asSuperAdmin('get', '/failed-requests').query(query).expect(200)).body as Listed;

/** Waits until this many requests are listed, which are stored some seconds later. */
async function listed(query: object, count: number): Promise<FailedRequest[]> {
  let data: FailedRequest[] = [];
  await eventuallyPasses(async () => {
    ({ data } = await list({ ...query, limit: 100 }));
    expect(data).toHaveLength(count);
  }, 20);
  return data;
}

describe('GET /failed-requests', () => {
  it('finds a request by its traceId, with everything that support needs and the names of fields', async () => {
    const { id, apiKey } = await createKey(server, own.id, { name: 'Scores' });
    const names = { PatLee: 1, 'pat.lee@example.com': 1, 'sk[0]': 1 };
    const body = { name: 'x'.repeat(500), logoUrl: 'secret value', ...names };
    const { traceId } = expectError(await own.call('post', '/teams', apiKey).send(body), 40001);
    const [request] = await listed({ traceId }, 1);
    expect(request).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      traceId,
      organizationId: own.id,
      organizationName: 'Bay Area Flag Football',
      apiKey: { id, name: 'Scores', keyPrefix: apiKey.slice(0, 21) },
      operation: 'createTeam',
      method: 'POST',
      route: '/v1/public-api/teams',
      status: 400,
      error: 40001,
      message: 'A field is invalid',
      fields: ['…', '….….…', '…[0]', 'name', 'season', 'logoUrl'],
      address: '127.0.0.1',
      durationMs: expect.any(Number) as number,
    });
    const stored = await (await server.database()).collection('failedRequests').findOne({ traceId });
    expect(JSON.stringify(stored)).not.toMatch(/secret value|xxxx|pat\.?lee|sk\[/i);
  });

  it('has the whole message of an error without details, such as the scope that the key lacks', async () => {
    const { id, apiKey } = await createKey(server, own.id, { scopes: ['seasons:read'] });
    expectError(await own.call('get', '/teams', apiKey), 40305);
    const [request] = await listed({ apiKeyId: id }, 1);
    expect(request).toMatchObject({ error: 40305, message: 'The API key lacks the scope teams:read' });
    expect(request).not.toHaveProperty('fields');
  });

  it.each<[string, (id: string) => PromiseLike<unknown>]>([
    ['revoked', (id) => server.asSuperAdmin('delete', `/api-keys/${id}`)],
    [
      'expired',
      async (id) => (await keys()).updateOne({ _id: new ObjectId(id) }, { $set: { expiresAt: new Date(0) } }),
    ],
    ['wrongSecret', (id) => server.asSuperAdmin('post', `/api-keys/${id}/rotate`)],
  ])('has 401 of a known key with its reason: %s', async (reason, end) => {
    const { id, apiKey } = await createKey(server, own.id);
    await own.call('get', '/teams', apiKey).expect(200);
    await end(id);
    await eventuallyPasses(async () => void expectInvalidKey(await own.call('get', '/teams', apiKey)));
    const [request] = await listed({ apiKeyId: id }, 1);
    expect(request).toMatchObject({ status: 401, error: 40101, reason, operation: 'listTeams', address: '127.0.0.1' });
  });

  it('has no right key that was not verified, because a wrong secret came from the same address', async () => {
    const { id, apiKey } = await createKey(server, own.id);
    await (await keys()).updateOne({ _id: new ObjectId(id) }, { $unset: { secretTag: 1 } });
    const wrong = formatApiKey({ keyPrefix: apiKey.slice(0, 21), secret: 'a'.repeat(32) });
    expectInvalidKey(await own.call('get', '/teams', wrong));
    expectError(await own.call('get', '/teams', apiKey), 42902);
    expect(await listed({ apiKeyId: id }, 1)).toMatchObject([{ error: 40101, reason: 'wrongSecret' }]);
  });

  it('has 401 of an organization that is disabled, and none while it is erased', async () => {
    const { id, key } = await createOrganization(server);
    const call = () => server.call('get', '/v1/public-api/teams').set('Authorization', `Bearer ${key.apiKey}`);
    await updateOrganization(server, id, { disabled: true }).expect(200);
    expectInvalidKey(await call());
    const [request] = await listed({ organizationId: id, status: 401 }, 1);
    expect(request).toMatchObject({ reason: 'disabled', apiKey: { id: key.id } });
    await server.asSuperAdmin('post', `/organizations/${id}/erase`).send({ name: 'Bay Area Flag Football' });
    const traceId = `erased-${randomUUID()}`;
    expectInvalidKey(await call().set('X-Request-Id', traceId));
    await own.call('get', `/teams/${unknownId}`).set('X-Request-Id', `after-${traceId}`).expect(403);
    await listed({ traceId: `after-${traceId}` }, 1);
    expect(await list({ traceId })).toEqual({ data: [] });
  });

  it('has neither successes nor keys that do not exist', async () => {
    const { key, id } = await createOrganization(server);
    const of = (test: ReturnType<typeof own.call>, traceId: string) => test.set('X-Request-Id', traceId);
    const unknown = formatApiKey({ keyPrefix: `ffk_live_${'0'.repeat(12)}`, secret: 'a'.repeat(32) });
    const traceId = `unknown-${randomUUID()}`;
    await of(own.call('get', '/teams', key.apiKey), traceId).expect(200);
    expectInvalidKey(await of(own.call('get', '/teams', unknown), traceId));
    expectInvalidKey(await of(own.call('get', '/teams', `${key.apiKey}x`), traceId));
    await own.call('get', `/teams/${unknownId}`, key.apiKey).expect(403);
    await listed({ organizationId: id }, 1);
    expect(await list({ traceId })).toEqual({ data: [] });
  });

  it('filters by key, status, error and time, and pages newest first without repeating one', async () => {
    const organization = await createOrganization(server);
    const { id: organizationId, key } = organization;
    const other = await createKey(server, organizationId, { name: 'Other' });
    await organization.call('get', `/teams/${unknownId}`).expect(403);
    await organization.call('post', '/teams').send({}).expect(400);
    await organization.call('post', '/teams').set('Content-Type', 'text/plain').send('x').expect(415);
    await organization.call('get', `/schedules/${unknownId}`, other.apiKey).expect(404);
    const all = await listed({ organizationId }, 4);
    expect(all.map(({ error }) => error)).toEqual([40402, 41500, 40001, 40301]);
    const codesOf = async (query: object) => (await list({ organizationId, ...query })).data.map(({ error }) => error);
    expect(await codesOf({ apiKeyId: key.id })).toEqual([41500, 40001, 40301]);
    expect(await codesOf({ status: 415 })).toEqual([41500]);
    expect(await codesOf({ error: 40001 })).toEqual([40001]);
    expect(await codesOf({ from: all[1]?.at, to: all[0]?.at })).toEqual(
      all.filter(({ at }) => at >= String(all[1]?.at) && at < String(all[0]?.at)).map(({ error }) => error),
    );
    const first = await list({ organizationId, limit: 3 });
    const second = await list({ organizationId, limit: 3, cursor: first.nextCursor });
    expect([...first.data, ...second.data]).toEqual(all);
    expect(second).not.toHaveProperty('nextCursor');
    expectError(await server.asSuperAdmin('get', '/failed-requests').query({ cursor: first.nextCursor }), 40001);
  });
});
