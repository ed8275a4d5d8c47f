import { randomUUID } from 'node:crypto';
import type request from 'supertest';
import { callWithToken, signToken, tokensOf } from '../support/admins.js';
import { countOf, traced } from '../support/audit.js';
import { adminRoutes, nobody } from '../support/http-routes.js';
import { anOrganization, api, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

/** Who is not known, or asks for nothing of the admins', must not be able to fill the audit. */
let server: RunningServer;
let organization: TestOrganization;
let token: string;

beforeAll(async () => {
  server = await RunningServer.start();
  organization = await anOrganization(server);
  token = (await tokensOf(organization)).admin;
});
afterAll(() => server.stop());

async function expectNoEvent(request: request.Test, status: number): Promise<void> {
  const { call, id } = traced(request);
  const answer = await call;
  expect(answer.status).toBe(status);
  expect(await countOf(server, id)).toBe(0);
}

describe.each(adminRoutes)('$method $path leaves no event', ({ method, path }) => {
  it.each<[string, () => string | undefined]>([
    ['without a token', () => undefined],
    ['with a wrong token', () => `Bearer ${token.slice(0, -3)}AAA`],
    ['with a token of another secret', () => `Bearer ${signToken({ sub: organization.creator._id }, 'x'.repeat(40))}`],
    ['with an API key', () => `Bearer ${organization.key.apiKey}`],
    ['with another scheme', () => `Basic ${token}`],
  ])('%s', async (_how, authorization) => {
    const call = server.call(method, path);
    const credential = authorization();
    await expectNoEvent(credential === undefined ? call : call.set('Authorization', credential), 401);
  });
});

describe('no event is left by', () => {
  it.each<[number, () => request.Test]>([
    [404, () => callWithToken(server, token, 'get', '/nothing')],
    [404, () => callWithToken(server, token, 'delete', `/audit-events/${nobody}`)],
    [405, () => callWithToken(server, token, 'delete', '/organizations')],
    [400, () => callWithToken(server, token, 'delete', '/api-keys/%ZZ')],
  ])('a path or a method that is unknown, also with a right token: %d', async (status, call) => {
    await expectNoEvent(call(), status);
  });

  it.each<[number, () => request.Test]>([
    [401, () => server.call('get', `${api}/teams`)],
    [401, () => callWithToken(server, token, 'get', `${api}/teams`)],
    [400, () => organization.call('get', '/teams?page=0')],
    [403, () => organization.call('get', `/teams/${nobody}/players`)],
    [404, () => organization.call('get', `/schedules/${nobody}`)],
    [400, () => server.call('get', '/health/live?x=1')],
    [400, () => server.call('post', '/auth/login').send({})],
    [400, () => callWithToken(server, token, 'post', '/auth/login').send({})],
    [
      401,
      () => server.call('post', '/auth/login').send({ email: `${randomUUID()}@example.com`, password: 'wrong one' }),
    ],
  ])('a refusal elsewhere: %d', async (status, call) => {
    await expectNoEvent(call(), status);
  });

  it.each<[number, () => request.Test]>([
    [200, () => callWithToken(server, token, 'get', '/auth/me')],
    [200, () => server.asSuperAdmin('get', '/audit-events')],
    [200, () => server.asSuperAdmin('get', `/api-keys?organizationId=${organization.id}`)],
  ])('a look that is allowed: %d', async (status, call) => {
    await expectNoEvent(call(), status);
  });
});
