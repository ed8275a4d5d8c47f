import type { Response } from 'supertest';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createKey, createOrganization, api } from '../support/organization.js';
import { adminRoutes, unknownId, publicRoutes } from '../support/http-routes.js';
import { RunningServer } from '../support/server.js';

/** An inexpensive request for each public controller. */
const controllers = [
  ['seasons', '/seasons'],
  ['teams', '/teams'],
  ['players', `/teams/${unknownId}/players`],
  ['schedules', '/schedules'],
  ['player-statistics', `/schedules/${unknownId}/player-statistics`],
] as const;

/** Expects the rate limit headers of a response. */
function expectLeft(answer: Response, limit: number, remaining: number): void {
  expect(answer.headers['ratelimit-limit']).toBe(String(limit));
  expect(answer.headers['ratelimit-remaining']).toBe(String(remaining));
  expect(answer.headers['ratelimit-reset']).toMatch(/^([1-9]|[1-5]\d|60)$/);
}

describe('the rate limit by default', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await RunningServer.start({ RATE_LIMIT_PER_MINUTE: '' });
  });
  afterAll(() => server.stop());

  it.each(controllers)('accepts exactly 100 of 130 concurrent requests to %s', async (_controller, path) => {
    const organization = await createOrganization(server);
    const answers = await Promise.all(Array.from({ length: 130 }, async () => organization.call('get', path)));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(30);
    for (const answer of limited) {
      expectError(answer, 42901);
      expectLeft(answer, 100, 0);
      expect(answer.headers['retry-after']).toBe(answer.headers['ratelimit-reset']);
    }
    const left = answers.filter(({ status }) => status !== 429).map((answer) => answer.headers['ratelimit-remaining']);
    expect(left.map(Number).sort((a, b) => b - a)).toEqual(Array.from({ length: 100 }, (_, index) => 99 - index));
  });
});

describe('the rate limit', () => {
  const limit = 4;
  let server: RunningServer;

  beforeAll(async () => {
    server = await RunningServer.start({ RATE_LIMIT_PER_MINUTE: String(limit) });
  });
  afterAll(() => server.stop());

  const useUp = async (call: () => PromiseLike<Response>) => {
    for (let request = 1; request <= limit; request++) expectLeft(await call(), limit, limit - request);
    expectError(await call(), 42901);
  };

  it('counts down from the first request and rejects the one after the last', async () => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', '/teams'));
  });

  it('says in the error how many requests are allowed and how long to wait', async () => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', '/teams'));
    const rejected = await organization.call('get', '/teams');
    expect(rejected.headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(expectError(rejected, 42901).message).toContain('4 per minute');
  });

  it.each(controllers)('of %s does not affect other controllers', async (_controller, path) => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', path));
    for (const [, other] of controllers.filter(([, other]) => other !== path)) {
      expectLeft(await organization.call('get', other), limit, limit - 1);
    }
  });

  it('counts all routes of a controller together, for any method, record and result', async () => {
    const organization = await createOrganization(server);
    expectLeft(await organization.call('get', '/schedules').expect(200), limit, 3);
    expectLeft(await organization.call('get', `/schedules/${unknownId}`).expect(404), limit, 2);
    expectLeft(await organization.call('post', '/schedules').send({}).expect(400), limit, 1);
    expectLeft(await organization.call('head', '/schedules').expect(200), limit, 0);
    expectError(await organization.call('delete', `/schedules/${unknownId}?teamId=${unknownId}`), 42901);
  });

  it('is shared by all teams and schedules of a controller', async () => {
    const organization = await createOrganization(server);
    for (let team = 1; team <= limit; team++)
      await organization.call('get', `/teams/6650f1f77bcf86cd7994391${team}/players`);
    expectError(await organization.call('get', `/teams/${unknownId}/players`), 42901);
  });

  it('is separate for each key, even within an organization', async () => {
    const organization = await createOrganization(server);
    const second = await createKey(server, organization.id);
    await useUp(() => organization.call('get', '/teams'));
    await useUp(() => organization.call('get', '/teams', second.apiKey));
    const other = await createOrganization(server);
    expectLeft(await other.call('get', '/teams').expect(200), limit, limit - 1);
  });

  it('stays used up when the key is rotated', async () => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', '/teams'));
    const rotated = await server.asSuperAdmin('post', `/api-keys/${organization.key.id}/rotate`).expect(200);
    expectError(await organization.call('get', '/teams', (rotated.body as { apiKey: string }).apiKey), 42901);
  });

  it('is not prolonged by rejected requests', async () => {
    const organization = await createOrganization(server);
    await useUp(() => organization.call('get', '/teams'));
    const [first, second] = [await organization.call('get', '/teams'), await organization.call('get', '/teams')];
    expect(Number(second.headers['retry-after'])).toBeLessThanOrEqual(Number(first.headers['retry-after']));
  });

  it.each(publicRoutes)(
    'is in the headers of every response to a valid key: $method $path',
    async ({ method, path }) => {
      const organization = await createOrganization(server);
      expectLeft(await organization.call(method, path), limit, limit - 1);
    },
  );

  it.each<[string, number, string, string]>([
    ['malformed JSON', 400, 'application/json', '{"name":'],
    ['a wrong field', 400, 'application/json', '{"name":1}'],
    ['another media type', 415, 'text/plain', 'Hawks'],
    ['a body that is too large', 413, 'application/json', JSON.stringify({ name: 'x'.repeat(102_400) })],
    ['an unknown season', 404, 'application/json', JSON.stringify({ name: 'Hawks', season: unknownId })],
  ])('is in the headers of errors, too: %s, %d', async (_what, status, type, body) => {
    const organization = await createOrganization(server);
    const answer = await organization.call('post', '/teams').set('Content-Type', type).send(body);
    expect(answer.status).toBe(status);
    expectLeft(answer, limit, limit - 1);
  });

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

  it.each(adminRoutes)('does not apply to admin routes: $method $path', async ({ method, path }) => {
    for (let request = 0; request <= limit; request++) {
      const answer = await server.asSuperAdmin(method, path).send({});
      expect(answer.status).not.toBe(429);
      expect(answer.headers['ratelimit-limit']).toBeUndefined();
    }
  });
});
