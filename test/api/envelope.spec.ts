import type { Response } from 'supertest';
import { expectFieldError, expectInvalidKey, expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { adminRoutes, knownPaths, openRoutes, publicRoutes } from '../support/http-routes.js';
import { type Method, RunningServer } from '../support/server.js';

const methods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete', 'options'];

describe('every response', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  describe('to an unknown path', () => {
    it.each([
      '/',
      '/v1',
      api,
      `${api}/`,
      `${api}/players`,
      `${api}/teams/x/y`,
      '/v2/public-api/teams',
      '/api-keys/a/b/c',
    ])('is 404 without authentication, for any method: %s', async (path) => {
      for (const method of methods) expectError(await server.call(method, path), 40400);
      const head = await server.call('head', path).expect(404);
      expect(head.headers['x-request-id']).toBeTruthy();
    });

    it('is 404 for an admin path below the public prefix, and vice versa', async () => {
      expectError(await organization.call('get', '/api-keys'), 40400);
      expectError(await organization.call('post', '/organizations').send({}), 40400);
      expectError(await server.asSuperAdmin('get', '/teams'), 40400);
      expectError(await server.asSuperAdmin('get', '/schedules'), 40400);
    });
  });

  describe('to a known path with another method', () => {
    it.each(knownPaths)('is 405 with Allow, without authentication: $path', async ({ path, methods: known }) => {
      const own: string[] = path.endsWith('/bulk') ? ['post'] : known;
      const allowed = [...own, ...(own.includes('get') ? ['head'] : [])].map((name) => name.toUpperCase()).sort();
      for (const method of methods.filter((name) => !(known as Method[]).includes(name))) {
        const response = await server.call(method, path);
        expectError(response, 40500);
        expect(response.headers['allow']?.split(', ').sort()).toEqual(allowed);
      }
    });

    it.each(knownPaths.filter(({ methods: known }) => !known.includes('get')))(
      'is 405 for HEAD without a body if there is no GET: $path',
      async ({ path }) => {
        const response = await server.call('head', path).expect(405);
        expect(response.headers['allow']).toBeTruthy();
        expect(response.text).toBeUndefined();
      },
    );
  });

  it('to HEAD is that of GET without the body', async () => {
    const team = await organization.team();
    for (const path of ['/seasons', '/teams', `/teams/${team._id}/players`, '/schedules', `/schedules/${team._id}`]) {
      const get = await organization.call('get', path);
      const head = await organization.call('head', path);
      expect(head.status).toBe(get.status);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect(head.text).toBeUndefined();
    }
  });

  describe('to an unknown query parameter', () => {
    it.each(publicRoutes)('names it: $method $path', async ({ method, path }) => {
      expectFieldError(await organization.call(method, `${path}?surprise=1`).set('idem-key', 'k').send(), 'surprise');
    });
    it.each(adminRoutes)('names it: $method $path', async ({ method, path }) => {
      expectFieldError(await server.asSuperAdmin(method, `${path}?surprise=1`).send(), 'surprise');
    });
    it.each(openRoutes)('names it: $method $path', async ({ method, path }) => {
      expectFieldError(await server.call(method, `${path}?surprise=1`).send(), 'surprise');
    });

    it.each(['__proto__', 'constructor', 'prototype', 'toString', 'page[$gt]', 'organizationId', 'limit[]'])(
      'names it even if it matches an object property: %s',
      async (name) => {
        expectFieldError(await organization.call('get', `/teams?${encodeURIComponent(name)}=1`), name);
        expectFieldError(await organization.call('get', `/schedules?${encodeURIComponent(name)}=1`), name);
      },
    );
  });

  it.each([
    ['/seasons?page=1&page=1', 'page'],
    ['/teams?limit=5&limit=5', 'limit'],
    ['/teams/6650f1f77bcf86cd79943911/players?page=1&page=2', 'page'],
    ['/schedules?filter=live&filter=upcoming', 'filter'],
    ['/schedules?teamId=6650f1f77bcf86cd79943911&teamId=6650f1f77bcf86cd79943911', 'teamId'],
    ['/schedules?eventType=game&eventType=game', 'eventType'],
    ['/schedules?startDateFrom=2027-05-01T10:00:00Z&startDateFrom=2027-05-01T10:00:00Z', 'startDateFrom'],
    ['/schedules?startDateTo=2027-05-01T10:00:00Z&startDateTo=2027-05-01T10:00:00Z', 'startDateTo'],
  ])('to a repeated query parameter names it: %s', async (path, name) => {
    expectFieldError(await organization.call('get', path), name);
  });

  it('to a DELETE with a repeated teamId names it and deletes nothing', async () => {
    const team = await organization.team();
    const schedule = await organization.schedule(team._id);
    const path = `/schedules/${schedule._id}?teamId=${team._id}&teamId=${team._id}`;
    expectFieldError(await organization.call('delete', path), 'teamId');
    await organization.call('get', `/schedules/${schedule._id}`).expect(200);
  });

  describe('has a request ID', () => {
    const idOf = ({ headers }: Response) => String(headers['x-request-id']);

    it.each(['abcdefgh', 'A.b_c-1234', '0'.repeat(128)])('of the client if it is valid: %s', async (id) => {
      for (const path of [
        `${api}/teams`,
        '/health/live',
        '/nothing',
        '/openapi.json',
        '/docs',
        `${api}/teams/%zz/players`,
      ]) {
        expect(idOf(await server.call('get', path).set('X-Request-Id', id))).toBe(id);
      }
      expect(idOf(await organization.call('get', '/teams').set('X-Request-Id', id).expect(200))).toBe(id);
    });

    it('generated by the server if the client sent an API key as the ID, which is neither returned nor logged', async () => {
      const { apiKey } = organization.key;
      const id = idOf(await organization.call('get', '/teams').set('X-Request-Id', apiKey).expect(200));
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(server.log).not.toContain(apiKey);
    });

    it.each(['abcdefg', '0'.repeat(129), 'with a space', 'semi;colon', 'gänsefüße', '<script>', ''])(
      'generated by the server if the client\'s is invalid: "%s"',
      async (id) => {
        const response = await server.call('get', '/nothing').set('X-Request-Id', Buffer.from(id).toString('latin1'));
        expect(idOf(response)).not.toBe(id);
        expect(idOf(response)).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
        expectError(response, 40400);
      },
    );

    it('that differs for every request', async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, async () => server.call('get', '/health/live')));
      expect(new Set(responses.map(idOf)).size).toBe(20);
    });
  });

  it.each(['/health/live', '/openapi.json', '/docs', '/nothing', `${api}/teams`])(
    'disables content sniffing and does not reveal the software: %s',
    async (path) => {
      const response = await server.call('get', path);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(response.headers).not.toHaveProperty('x-powered-by');
      expect(response.headers).not.toHaveProperty('server');
    },
  );

  it.each(['text/html', 'application/xml', 'text/plain', 'image/png'])(
    'is JSON, even if the client asks for %s',
    async (accepted) => {
      const rejected = [
        server.call('get', '/<script>alert(1)</script>'),
        server.call('get', `${api}/teams`),
        server.call('put', `${api}/teams`),
        organization.call('get', '/schedules/<b>'),
        organization.call('post', '/teams').set('Content-Type', 'application/json').send('{"<b>":1}'),
      ];
      for (const call of rejected) {
        const response = await call.set('Accept', accepted);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.headers['content-type']).toMatch(/^application\/json/);
        expect(JSON.parse(response.text)).toMatchObject({ error: expect.any(Number) as number });
      }
      const found = await organization.call('get', '/teams').set('Accept', accepted).expect(200);
      expect(found.headers['content-type']).toMatch(/^application\/json/);
    },
  );

  it.each(['/teams/%zz/players', '/schedules/%E0%A4%A', '/teams/%/players', '/schedules/%C3%28'])(
    'to a path with invalid percent-encoding is 400: %s',
    async (path) => {
      expectError(await organization.call('get', path), 40000);
      expectInvalidKey(await server.call('get', api + path));
    },
  );
});
