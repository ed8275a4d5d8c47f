import { expectError, expectFieldError } from '../support/expectations.js';
import { api, TestOrganization } from '../support/organization.js';
import { exchange, type RawResponse } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

/** Node's limit for all headers together, in bytes. */
const limit = 16_384;

describe('the request head', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let valid: string[];

  beforeAll(() => {
    valid = ['Host: localhost', 'Connection: close', `Authorization: Bearer ${organization.key.apiKey}`];
  });

  const get = (headers: string[], target = `${api}/teams`, version = '1.1') =>
    exchange(server.url, `GET ${target} HTTP/${version}\r\n${headers.join('\r\n')}\r\n\r\n`);
  const post = async (headers: string[]) => {
    const body = JSON.stringify({ name: 'Hawks', season: (await organization.season())._id });
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`, ...valid, ...headers];
    return exchange(server.url, `POST ${api}/teams HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  };
  const expectRejected = (response: RawResponse, message: string | RegExp) => {
    expect(response.status).toBe(400);
    const body = JSON.parse(response.body) as { message: string };
    expect(body).toMatchObject({ error: 40000, traceId: response.headers['x-request-id'] });
    expect(body.message).toMatch(message);
    expect(response.headers).toMatchObject({ connection: 'close', 'x-content-type-options': 'nosniff' });
  };

  it.each([
    ['Authorization', 'Bearer nonsense'],
    ['CONTENT-TYPE', 'application/json'],
    ['host', 'localhost'],
  ])('is rejected with a second %s header instead of using the first one: "%s"', async (name, value) => {
    expectRejected(await post([`${name}: ${value}`]), name.toLowerCase());
    expect((await organization.call('get', '/teams')).body).toMatchObject({ total: 0 });
  });

  it.each([
    ['Content-Encoding', 'identity', 'gzip'],
    ['Origin', 'https://a.example', 'https://b.example'],
  ])('is rejected with two %s headers: "%s" and "%s"', async (name, one, other) => {
    expectRejected(await post([`${name}: ${one}`, `${name}: ${other}`]), name.toLowerCase());
    expect((await organization.call('get', '/teams')).body).toMatchObject({ total: 0 });
  });

  it('is rejected for a repeated header before authentication, on every path', async () => {
    for (const target of [`${api}/teams`, '/nothing', '/health/live', '/openapi.json']) {
      expectRejected(
        await get(['Host: x', 'Connection: close', 'Content-Type: a/b', 'Content-Type: a/b'], target),
        'repeated',
      );
    }
  });

  it('can repeat headers that are lists', async () => {
    const lists = ['Accept: text/html', 'Accept: */*', 'X-Forwarded-For: 203.0.113.1', 'X-Forwarded-For: 203.0.113.2'];
    expect((await get([...valid, ...lists, 'Cookie: a=1', 'Cookie: b=2'])).status).toBe(200);
  });

  it.each(['a b', 'a/b', 'a@b', 'a?b', 'a#b', '[::1', '::1', 'a:http', 'a:80:80', '<b>'])(
    'is rejected with the invalid host %s',
    async (host) => {
      expectRejected(await get([`Host: ${host}`, ...valid.slice(1)]), 'host');
    },
  );

  it.each(['a.example', 'a.example:8443', 'service_1', '127.0.0.1:3000', '[::1]:3000', ''])(
    'can name the host as "%s"',
    async (host) => {
      expect((await get([`Host: ${host}`, ...valid.slice(1)])).status).toBe(200);
    },
  );

  it('has a query that is read completely: an invalid parameter after 1,500 others is reported', async () => {
    const padding = '&'.repeat(1_500);
    expectFieldError(await organization.call('get', `/schedules?${padding}page=0`), 'page');
    expectError(await organization.call('get', `/schedules?${padding}teamId=zzz`), 40301);
    const categories = 'categories=qb&'.repeat(1_001);
    const path = `/schedules/${'f'.repeat(24)}/player-statistics?${categories}bogus=1`;
    expectFieldError(await organization.call('get', path), 'bogus');
  });

  it('keeps every header, however many there are', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `a${index % 10}:`);
    expect((await get([...many, ...valid])).status).toBe(200);
  });

  it.each<[string, string[], string]>([
    ['one header', [`X-A: ${'a'.repeat(limit + 1)}`], ''],
    ['many headers', Array.from({ length: 2_000 }, (_, index) => `X-Header-${index}: a value`), ''],
    ['the path', [], `/${'a'.repeat(limit)}`],
    ['the query', [], `?${'a=b&'.repeat(limit / 4)}`],
  ])('is rejected with a clear message if it is larger than 16 KB: %s', async (_what, headers, target) => {
    expectRejected(await get([...valid, ...headers], `${api}/teams${target}`), `larger than ${limit} bytes`);
  });

  it('is accepted up to nearly 16 KB', async () => {
    expect((await get([...valid, `X-A: ${'a'.repeat(15_000)}`])).status).toBe(200);
    expect((await get(valid, `${api}/schedules/${'a'.repeat(15_000)}`)).status).toBe(400);
    expect((await get(valid, `/${'/'.repeat(15_000)}`)).status).toBe(404);
  });

  it.each([`http://elsewhere.example${api}/teams?limit=1`, `HTTP://localhost:3000${api}/teams`])(
    'can have an absolute target, as proxies send it: %s',
    async (target) => {
      const response = await get(valid, target);
      expect(response.status).toBe(200);
      expect(JSON.parse(response.body)).toEqual({ data: [], total: 0 });
    },
  );

  it('is handled by the path of an absolute target: 401, 404, 405 and 400', async () => {
    const at = (path: string, headers = valid) => get(headers, `http://elsewhere.example${path}`);
    expect((await at(`${api}/teams`, ['Host: x', 'Connection: close'])).status).toBe(401);
    expect((await at('')).status).toBe(404);
    expect((await at('?a=1')).status).toBe(404);
    expect((await at(`${api}/nothing/x`)).status).toBe(404);
    expect(JSON.parse((await at(`${api}/teams?surprise=1`)).body)).toMatchObject({ error: 40001 });
  });

  it.each(['http://', 'http://[::1/x', 'http://a:b:c/', 'http:///v1/public-api/teams'])(
    'returns an error body if its absolute target is not a URL: %s',
    async (target) => {
      const response = await get(valid, target);
      expect(response.headers['content-type']).toMatch(/^application\/json/);
      expect(response.headers).not.toHaveProperty('x-powered-by');
      expect([400, 404]).toContain(response.status);
      expect(JSON.parse(response.body)).toMatchObject({ traceId: response.headers['x-request-id'] });
    },
  );

  it.each(['ftp://a/v1/public-api/teams', 'file:///etc/passwd', `//elsewhere.example${api}/teams`])(
    'returns 404 for a foreign target: %s',
    async (target) => {
      expect(JSON.parse((await get(valid, target)).body)).toMatchObject({ error: 40400 });
    },
  );
});
