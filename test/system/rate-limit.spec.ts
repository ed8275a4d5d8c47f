import { Agent } from 'node:http';
import type { Response } from 'supertest';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { invalidBodies } from '../support/invalid-bodies.js';
import { api, createKey, createOrganization } from '../support/organization.js';
import { unknownId, publicRoutes } from '../support/http-routes.js';
import { RunningServer } from '../support/server.js';

/** Expects the rate limit headers of a response. */
function expectLeft(answer: Response, limit: number, remaining: number): void {
  expect(answer.headers['ratelimit-limit']).toBe(String(limit));
  expect(answer.headers['ratelimit-remaining']).toBe(String(remaining));
  expect(answer.headers['ratelimit-reset']).toMatch(/^([1-9]|[1-5]\d|60)$/);
}

const limit = 4;
/** Failed authentications: more than those of an invalid key below. */
const allowed = 6;
const server = RunningServer.forTests({
  TRUST_PROXY: '127.0.0.1, 10.0.0.0/8, 2001:db8::/32',
  RATE_LIMIT_PER_MINUTE: String(limit),
  AUTH_FAILURES_PER_MINUTE: String(allowed),
});

describe('the rate limit', () => {
  const useUp = async (call: () => PromiseLike<Response>) => {
    for (let request = 1; request <= limit; request++) expectLeft(await call(), limit, limit - request);
    expectError(await call(), 42901);
  };

  it('counts all routes of a controller together, for any method, record and result', async () => {
    const organization = await createOrganization(server);
    expectLeft(await organization.call('get', '/schedules').expect(200), limit, 3);
    expectLeft(await organization.call('get', `/schedules/${unknownId}`).expect(404), limit, 2);
    expectLeft(await organization.call('post', '/schedules').send({}).expect(400), limit, 1);
    expectLeft(await organization.call('head', '/schedules').expect(200), limit, 0);
    expectError(await organization.call('delete', `/schedules/${unknownId}?teamId=${unknownId}`), 42901);
  });

  it('stays used up when the key is rotated', async () => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', '/teams'));
    const rotated = await server.asSuperAdmin('post', `/api-keys/${organization.key.id}/rotate`).expect(200);
    expectError(await organization.call('get', '/teams', (rotated.body as { apiKey: string }).apiKey), 42901);
  });

  it.each(publicRoutes)(
    'is in the headers of every response to a valid key: $method $path',
    async ({ method, path }) => {
      const organization = await createOrganization(server);
      expectLeft(await organization.call(method, path), limit, limit - 1);
    },
  );

  it('neither counts requests with an invalid key nor is in their headers', async () => {
    const { key } = await createOrganization(server);
    const wrong = `${key.apiKey.slice(0, -1)}_`;
    for (let request = 0; request <= limit; request++) {
      const answer = await server.call('get', `${api}/teams`).set('Authorization', `Bearer ${wrong}`);
      expectInvalidKey(answer);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
    expectLeft(await server.call('get', `${api}/teams`).set('Authorization', `Bearer ${key.apiKey}`), limit, limit - 1);
  });

  it.each(invalidBodies)('returns 42901 before any other error: %s', async (_what, type, body) => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', '/teams'));
    const call = organization.call('post', '/teams?nonsense=1').set('Content-Type', type);
    expectError(await call.send(body), 42901);
  });

  it('counts requests without the required scope, too', async () => {
    const organization = await createOrganization(server);
    const { apiKey } = await createKey(server, organization.id, { scopes: ['teams:read'] });
    const create = () => organization.call('post', '/teams', apiKey).send({});
    for (let request = 1; request <= limit; request++) {
      const rejected = await create();
      expectError(rejected, 40305);
      expectLeft(rejected, limit, limit - request);
    }
    expectError(await create(), 42901);
    expectError(await organization.call('get', '/teams', apiKey), 42901);
    expectError(await organization.call('get', '/seasons', apiKey), 40305);
  });

  it('counts requests from addresses that are not allowed as failed authentications, and not for the key', async () => {
    const organization = await createOrganization(server);
    const { apiKey } = await createKey(server, organization.id, { allowedAddresses: ['203.0.113.1'] });
    const listFrom = (address: string, key: string) =>
      organization.call('get', '/teams', key).set('X-Forwarded-For', address);
    for (let failure = 1; failure <= allowed; failure++) {
      const rejected = await listFrom('203.0.113.2', apiKey);
      expectError(rejected, 40306);
      expect(rejected.headers['ratelimit-remaining']).toBeUndefined();
    }
    expectError(await server.call('get', `${api}/teams`).set('X-Forwarded-For', '203.0.113.2'), 42902);
    expectLeft(await listFrom('203.0.113.1', apiKey).expect(200), limit, limit - 1);
    await listFrom('203.0.113.2', organization.key.apiKey).expect(200);
  });
});

/** A number of proxies: `login-limits`. */
describe('with a list of proxies in TRUST_PROXY', () => {
  it('uses the address added by the proxies, not the forged ones', async () => {
    const fail = (client: string, forged: string) =>
      server.call('get', `${api}/teams`).set('X-Forwarded-For', `${forged}, ${client}, 10.1.1.1, 10.1.1.2`);
    for (let failure = 0; failure < allowed; failure++) await fail('198.51.100.1', `203.0.113.${failure}`).expect(401);
    await fail('198.51.100.1', '203.0.113.99').expect(429);
    await fail('198.51.100.2', '198.51.100.1').expect(401);
    await fail('198.51.100.2', '127.0.0.1, 10.1.1.9').expect(401);
  });

  it('a forged address of a client outside of it does not bypass the limit of failed authentications', async () => {
    const outside = new Agent({ localAddress: '127.0.0.2' });
    const headers = (attempt: number) => ({
      'X-Forwarded-For': `198.51.100.${attempt}, 10.1.1.1`,
      'X-Real-IP': `198.51.100.${attempt}`,
      Forwarded: `for=198.51.100.${attempt}`,
      'X-Client-IP': `198.51.100.${attempt}`,
    });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < allowed + 2; attempt++) {
      const call = server.call('get', `${api}/teams`).agent(outside);
      statuses.push((await call.set(headers(10 + attempt))).status);
    }
    expect(statuses).toEqual([...Array<number>(allowed).fill(401), 429, 429]);
  });
});
