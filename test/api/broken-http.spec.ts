import { api, TestOrganization } from '../support/organization.js';
import { referenceScript } from '../support/pages.js';
import { exchange, RawConnection, statusesIn } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

describe('malformed HTTP', () => {
  it.each<[string, string]>([
    ['text that is not HTTP', 'hello\r\n\r\n'],
    ['an unknown method', `BREW ${api}/teams HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['an unknown version', `GET ${api}/teams HTTP/9.9\r\nHost: x\r\n\r\n`],
    ['a space in the path', `GET ${api}/te ams HTTP/1.1\r\nHost: x\r\n\r\n`],
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
    ['chunks and Content-Length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 90\r\n\r\n{}'],
    ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    ['a list of lengths', 'Content-Length: 2, 2\r\n\r\n{}'],
    ['a length with a sign', 'Content-Length: +2\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -2\r\n\r\n{}'],
    ['a hexadecimal length', 'Content-Length: 0x2\r\n\r\n{}'],
    ['a length larger than any number', 'Content-Length: 99999999999999999999999\r\n\r\n{}'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a vertical tab before the value', 'Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n'],
    ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an encoding after chunks', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['an encoding without chunks', 'Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n'],
    ['an unknown encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X-A: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a header after a bare line feed', 'X-A: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a header after a bare carriage return', 'X-A: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['headers ended by bare line feeds', 'X-A: a\n\n'],
    ['NUL in a header', 'X-A: a\u0000b\r\n\r\n'],
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

  it('is rejected if its chunks are sent to HTTP/1.0', async () => {
    const { id, text } = hiddenRequest();
    const old = withKey().replace('HTTP/1.1', 'HTTP/1.0');
    const rest = 'Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const transcript = await transcriptOf(old + rest + text);
    expect(statusesIn(transcript)).toEqual([400]);
    expect(transcript).not.toContain(id);
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

  it('does not prevent several requests on one connection', async () => {
    const get = `GET ${api}/teams HTTP/1.1\r\nHost: x\r\n`;
    const transcript = await transcriptOf(`${get}\r\n${get}\r\n${get}Connection: close\r\n\r\n`);
    expect(statusesIn(transcript)).toEqual([401, 401, 401]);
  });
});
