import type { Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import { knownPaths } from '../support/http-routes.js';
import { publicDocument } from '../support/operations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const ours = 'https://app.example.com';
const development = 'http://localhost:5173';
const others = [
  'https://elsewhere.example',
  'https://app.example.com:8443',
  'https://app.example.com.elsewhere.example',
  'null',
];

/** Names of the CORS response headers. */
const accessHeaders = ({ headers }: Response) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const listed = (answer: Response, header: string) => answer.headers[header]?.split(',').map((name) => name.trim());

describe('a page of an allowed origin', () => {
  const server = RunningServer.forTests({ CORS_ORIGINS: `${ours}, ${development}` });
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await createOrganization(server);
  });

  const preflight = (path: string, origin = ours, method = 'POST') =>
    server
      .call('options', path)
      .set('Origin', origin)
      .set('Access-Control-Request-Method', method)
      .set('Access-Control-Request-Headers', 'authorization,content-type,idem-key');

  it.each([ours, development])('gets a preflight response with a request ID: %s', async (origin) => {
    const answer = await preflight(`${api}/teams`, origin).set('X-Request-Id', 'preflight-0001').expect(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'x-request-id': 'preflight-0001',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(listed(answer, 'vary')).toContain('Origin');
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    expect(listed(answer, 'access-control-allow-methods')).toEqual(methods);
    const keys = ['idem-key', 'Idempotency-Key'];
    const headers = ['Authorization', 'Content-Type', ...keys, 'If-Match', 'If-None-Match', 'X-Request-Id'];
    expect(listed(answer, 'access-control-allow-headers')).toEqual(headers);
    expect(Number(answer.headers['access-control-max-age'])).toBeGreaterThan(0);
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    expect(answer.text).toBe('');
  });

  it.each(knownPaths)('gets a preflight response for $path without a key', async ({ path, methods }) => {
    for (const method of methods) {
      const answer = await preflight(path, ours, method.toUpperCase()).expect(204);
      expect(answer.headers['x-request-id']).toMatch(/^[\w.-]{8,128}$/);
      expect(listed(answer, 'access-control-allow-methods')).toContain(method.toUpperCase());
    }
  });

  it('can read every response, including errors', async () => {
    const answers = [
      await organization.call('get', '/teams').set('Origin', ours).expect(200),
      await organization.call('post', '/teams').set('Origin', ours).send({}).expect(400),
      await server.call('get', `${api}/teams`).set('Origin', ours).expect(401),
      await server.call('get', '/nothing').set('Origin', ours).expect(404),
      await server.call('put', `${api}/teams`).set('Origin', ours).expect(405),
      await server.asSuperAdmin('get', '/organizations').set('Origin', ours).expect(200),
    ];
    for (const answer of answers) {
      expect(answer.headers['access-control-allow-origin']).toBe(ours);
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      expect(listed(answer, 'vary')).toContain('Origin');
    }
  });

  it('can read every header of the contract', async () => {
    const answer = await organization.call('get', '/teams').set('Origin', ours);
    const described = Object.keys(publicDocument.components?.headers ?? {});
    expect(described).toContain('RateLimit-Limit');
    const readable = listed(answer, 'access-control-expose-headers');
    // Required for a page to authenticate.
    const needed = [...described, 'Allow', 'Deprecation', 'Sunset'].filter((name) => name !== 'WWW-Authenticate');
    expect(readable?.sort()).toEqual(needed.sort());
  });

  it.each(others)('does not include %s', async (origin) => {
    const asked = await preflight(`${api}/teams`, origin);
    const called = await organization.call('get', '/teams').set('Origin', origin).expect(200);
    for (const answer of [asked, called]) {
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      expect(listed(answer, 'vary')).toContain('Origin');
    }
  });
});

describe('without a configured origin', () => {
  const server = RunningServer.forTests({});

  it('no page can call from a browser', async () => {
    const organization = await createOrganization(server);
    const asking = server.call('options', `${api}/teams`).set('Origin', ours);
    const asked = await asking.set('Access-Control-Request-Method', 'GET');
    expectError(asked, 40500);
    expect(asked.headers['allow']).toBe('GET, HEAD, POST');
    const called = await organization.call('get', '/teams').set('Origin', ours).expect(200);
    for (const answer of [asked, called, await server.call('get', '/docs').set('Origin', ours)]) {
      expect(accessHeaders(answer)).toEqual([]);
    }
  });
});
