import type { Response } from 'supertest';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, api, TestOrganization } from '../support/organization.js';
import { unknownId } from '../support/http-routes.js';
import { type Method, RunningServer } from '../support/server.js';

const oversized = JSON.stringify({ name: 'x'.repeat(150_000) });

/** Invalid bodies, in the order in which their errors are reported. */
const invalidBodies: [string, string, string][] = [
  ['another media type', 'text/plain', oversized],
  ['a body that is too large', 'application/json', oversized],
  ['malformed JSON', 'application/json', '{"name":'],
  ['an invalid field', 'application/json', '{"nonsense":1}'],
];

describe('a request with several errors', () => {
  const server = RunningServer.forTests();
  const own = TestOrganization.forTests(server);
  let ids: { schedule: string; foreignTeam: string };

  beforeAll(async () => {
    const foreignTeam = await (await createOrganization(server)).team();
    const schedule = await own.schedule((await own.team())._id);
    ids = { schedule: schedule._id, foreignTeam: foreignTeam._id };
  });

  /** Replaces the names in angle brackets with the IDs of this run. */
  const named = (text: string) => text.replace(/<(\w+)>/g, (_, name: string) => ids[name as keyof typeof ids]);
  const send = async (method: Method, path: string, body?: object): Promise<Response> => {
    const call = own.call(method, named(path)).set('idem-key', `order-${Math.random()}`);
    return body === undefined ? call : call.send(JSON.parse(named(JSON.stringify(body))) as object);
  };

  it.each(invalidBodies)('returns 40101 before any body error: %s', async (_what, type, body) => {
    const path = `${api}/teams/${ids.foreignTeam}/players?nonsense=1`;
    const call = server.call('post', path).set('Authorization', 'Bearer wrong').set('Content-Type', type);
    expectInvalidKey(await call.send(body));
  });

  it.each<[Method, string, number]>([
    ['get', '/nothing', 40400],
    ['post', '/teams/a/b/c', 40400],
    ['put', '/teams', 40500],
    ['delete', '/seasons', 40500],
  ])('returns 404 or 405 before anything else: %s %s', async (method, path, error) => {
    const call = server.call(method, `${api}${path}?nonsense=1`).set('Authorization', 'Bearer wrong');
    expectError(await call.set('Content-Type', 'text/plain').send(oversized), error);
  });

  it.each<[Method, string]>([
    ['post', '/teams/<foreignTeam>/players'],
    ['patch', '/schedules/malformed'],
  ])('returns 415, then 413, before field errors: %s %s', async (method, path) => {
    const call = () => own.call(method, named(path));
    expectError(await call().set('Content-Type', 'text/plain').send(oversized), 41500);
    expectError(await call().set('Content-Type', 'application/json').send(oversized), 41300);
  });

  it.each<[string, number, Method, string, object?]>([
    ['an invalid field', 40001, 'patch', `/teams/<foreignTeam>/players/${unknownId}`, { name: 1 }],
    ['no opponent', 40002, 'post', '/schedules', { teamId: '<foreignTeam>', startDate: '2027-05-01T10:00:00Z' }],
    [
      'an end before its start',
      40001,
      'post',
      '/schedules',
      {
        teamId: '<foreignTeam>',
        teamTwoName: 'Foxes',
        startDate: '2027-05-01T10:00:00Z',
        endDate: '2027-04-01T10:00:00Z',
      },
    ],
    [
      'a limited overtime without duration',
      40001,
      'patch',
      '/schedules/<schedule>',
      { teamId: '<foreignTeam>', overtimeType: 'limited' },
    ],
    ['invalid categories', 40001, 'get', '/schedules/<schedule>/player-statistics?teamId=<foreignTeam>&categories=x'],
  ])(
    "with %s returns %d before 40301 for another organization's team: %s %s",
    async (...[, error, method, path, body]) => {
      expectError(await send(method, path, body), error);
    },
  );
});

describe('a server with limits behind a trusted proxy', () => {
  const [requests, failures] = [3, 4];
  const server = RunningServer.forTests({
    TRUST_PROXY: '1',
    RATE_LIMIT_PER_MINUTE: String(requests),
    AUTH_FAILURES_PER_MINUTE: String(failures),
  });
  const organization = TestOrganization.forTests(server, beforeEach);
  const listFrom = (address: string, key: string) =>
    organization.call('get', '/teams', key).set('X-Forwarded-For', address);
  const repeat = async (times: number, run: () => Promise<unknown>) => {
    for (let time = 0; time < times; time++) await run();
  };

  it.each(invalidBodies)('returns 42901 before any other error: %s', async (_what, type, body) => {
    await repeat(requests, async () => organization.call('get', '/teams').expect(200));
    const call = organization.call('post', '/teams?nonsense=1').set('Content-Type', type);
    expectError(await call.send(body), 42901);
  });

  it('counts requests without the required scope, too, which have the RateLimit headers', async () => {
    const { apiKey } = await createKey(server, organization.id, { scopes: ['teams:read'] });
    const create = () => organization.call('post', '/teams', apiKey).send({});
    await repeat(requests - 1, async () => expectError(await create(), 40305));
    const rejected = await create();
    expectError(rejected, 40305);
    expect(rejected.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
    expect(rejected.headers['ratelimit-reset']).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expectError(await create(), 42901);
    expectError(await organization.call('get', '/teams', apiKey), 42901);
    expectError(await organization.call('get', '/seasons', apiKey), 40305);
  });

  it('counts requests from addresses that are not allowed as failed authentications, and not for the key', async () => {
    const { apiKey } = await createKey(server, organization.id, { allowedAddresses: ['203.0.113.1'] });
    await repeat(failures, async () => {
      const rejected = await listFrom('203.0.113.2', apiKey);
      expectError(rejected, 40306);
      expect(rejected.headers['ratelimit-remaining']).toBeUndefined();
    });
    expectError(await server.call('get', `${api}/teams`).set('X-Forwarded-For', '203.0.113.2'), 42902);
    expect((await listFrom('203.0.113.1', apiKey).expect(200)).headers['ratelimit-remaining']).toBe('2');
    await listFrom('203.0.113.2', organization.key.apiKey).expect(200);
  });
});
