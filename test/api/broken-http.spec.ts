import { api, TestOrganization } from '../support/organization.js';
import { referenceScript } from '../support/pages.js';
import { exchange, RawConnection, statusesIn, type RawResponse } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';
import { expectError, expectFieldError } from '../support/expectations.js';

const server = RunningServer.forTests();

describe('malformed HTTP', () => {
  it.each<[string, string]>([
    ['text that is not HTTP', 'hello\r\n\r\n'],
    ['an unknown method', `BREW ${api}/teams HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a header without a colon', `GET ${api}/teams HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n`],
    ['a control character in a header', `GET ${api}/teams HTTP/1.1\r\nHost: x\r\nX-A: a\u0001b\r\n\r\n`],
    ['a CONNECT to another host', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
    ['no Host', `GET ${api}/teams HTTP/1.1\r\nConnection: close\r\n\r\n`],
  ])('returns 400 with an error body: %s', async (_what, request) => {
    const response = await exchange(server.url, request);
    const body = JSON.parse(response.body) as { traceId: string; timestamp: string };
    expect(response.status).toBe(400);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual({
      error: 40000,
      message: expect.stringMatching(/./) as string,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      traceId: response.headers['x-request-id'],
    });
    expect(body.traceId).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  });

  it.each<[string, string, number]>([
    ['an unknown expectation', `POST ${api}/teams HTTP/1.1\r\nExpect: wonders`, 40101],
    ['an upgrade to another protocol', `GET ${api}/teams HTTP/1.1\r\nUpgrade: websocket`, 40101],
    ['the method TRACE', `TRACE ${api}/teams HTTP/1.1`, 40500],
    ['OPTIONS for the whole server', 'OPTIONS * HTTP/1.1', 40400],
    ['HTTP/1.0 without Host', `GET ${api}/teams HTTP/1.0`, 40101],
  ])('is distinguished from unusual HTTP, which gets its normal response: %s', async (_what, request, error) => {
    const host = request.includes('HTTP/1.0') ? '' : 'Host: x\r\n';
    const response = await exchange(server.url, `${request}\r\n${host}Connection: close\r\nContent-Length: 0\r\n\r\n`);
    expect(JSON.parse(response.body)).toMatchObject({ error, traceId: response.headers['x-request-id'] });
    expect(response.status).toBe(Math.floor(error / 100));
  });

  it('does not stop the server if a connection is reset after CONNECT', async () => {
    for (let attempt = 0; attempt < 40; attempt++) {
      const connection = await RawConnection.open(server.url);
      connection.send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
      connection.reset();
      await server.call('get', '/health/live').expect(200);
    }
  });

  it('does not stop the server if a chunked body breaks while a documentation file is sent', async () => {
    const request = `GET ${await referenceScript(server)} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    for (let round = 0; round < 5; round++) {
      const connections = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(server.url)));
      for (const connection of connections) connection.send(request);
      for (const connection of connections) connection.send('ZZ\r\n');
      await server.call('get', '/health/live').expect(200);
      for (const connection of connections) connection.close();
    }
    await server.call('get', '/health/ready?x=1').expect(200);
  });
});

const head = `POST ${api}/teams HTTP/1.1\r\nHost: x\r\n`;

describe('a request that intermediaries may interpret differently', () => {
  const organization = TestOrganization.forTests(server);
  let hidden = 0;

  /** A request inside what others see as a body; its ID is logged if the server treats it as a request. */
  const hiddenRequest = () => {
    const id = `smuggled-${++hidden}-`;
    return { id, text: `GET ${api}/seasons HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n` };
  };
  const transcriptOf = async (text: string) => {
    const connection = await RawConnection.open(server.url);
    connection.send(text);
    return connection.transcript();
  };
  const withKey = () => `${head}Authorization: Bearer ${organization.key.apiKey}\r\nContent-Type: application/json\r\n`;

  it.each<[string, string]>([
    ['Content-Length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 90\r\n\r\n{}'],
    ['a length with a sign', 'Content-Length: +2\r\n\r\n{}'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an encoding without chunks', 'Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X-A: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a header after a bare line feed', 'X-A: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk without a size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose size ends with a bare line feed', 'Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n'],
    ['chunk extensions without end', `Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
  ])('is rejected once, and the rest is not read as a request: %s', async (_what, rest) => {
    const { id, text } = hiddenRequest();
    const transcript = await transcriptOf(withKey() + rest + text);
    expect(statusesIn(transcript)).toEqual([400]);
    expect(transcript).toMatch(/"error":40000,/);
    expect(transcript).not.toContain(id);
    await server.call('get', '/health/live').expect(200);
    expect(server.log).not.toContain(id);
  });

  it('gets one response if it was rejected before its body turned out to be malformed', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n`);
    await connection.receives('"error":40101');
    connection.send('{}zz\r\n');
    expect(statusesIn(await connection.transcript())).toEqual([401]);
  });

  it('does not get its rejection instead of the response to an earlier request', async () => {
    const key = `Authorization: Bearer ${organization.key.apiKey}`;
    const good = `GET ${api}/teams HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`;
    expect(statusesIn(await transcriptOf(`${good}nonsense\r\n\r\n`))).toEqual([200, 400]);
    expect(statusesIn(await transcriptOf(`${good}${good}${head}X-A: a\u0000b\r\n\r\n`))).toEqual([200, 200, 400]);
    expect(statusesIn(await transcriptOf(`${good}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`))).toEqual([200, 400]);
  });

  it('does not treat the body of a GET as the next request', async () => {
    const { id, text } = hiddenRequest();
    const get = `GET ${api}/teams HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n`;
    expect(statusesIn(await transcriptOf(get + text))).toEqual([401]);
    expect(server.log).not.toContain(id);
  });

  it.each(['websocket', 'h2c', 'TLS/1.0', 'nonsense'])('does not wait for another protocol: %s', async (protocol) => {
    const upgrade = `GET ${api}/teams HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
    expect(statusesIn(await transcriptOf(upgrade + hiddenRequest().text))).toEqual([401]);
  });
});

/** Node's limit for all headers together, in bytes. */
const limit = 16_384;

describe('the request head', () => {
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
    ['Content-Encoding', 'identity', 'gzip'],
    ['Origin', 'https://a.example', 'https://b.example'],
  ])('is rejected with a second %s header instead of using the first one: %s', async (name, ...values) => {
    expectRejected(await post(values.map((value) => `${name}: ${value}`)), name.toLowerCase());
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

  it('has a query that is read completely: an invalid parameter after 200 others is reported', async () => {
    const padding = '&'.repeat(200);
    expectFieldError(await organization.call('get', `/schedules?${padding}page=0`), 'page');
    expectError(await organization.call('get', `/schedules?${padding}teamId=zzz`), 40301);
    const categories = 'categories=qb&'.repeat(200);
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
