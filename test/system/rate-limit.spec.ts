import type { Response } from 'supertest';
import { expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization, api } from '../support/organization.js';
import { unknownId, publicRoutes } from '../support/http-routes.js';
import { RunningServer } from '../support/server.js';

/** Expects the rate limit headers of a response. */
function expectLeft(answer: Response, limit: number, remaining: number): void {
  expect(answer.headers['ratelimit-limit']).toBe(String(limit));
  expect(answer.headers['ratelimit-remaining']).toBe(String(remaining));
  expect(answer.headers['ratelimit-reset']).toMatch(/^([1-9]|[1-5]\d|60)$/);
}

describe('the rate limit', () => {
  const limit = 4;
  const server = RunningServer.forTests({ RATE_LIMIT_PER_MINUTE: String(limit) });

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
});
