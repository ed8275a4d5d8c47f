import { api } from '../support/organization.js';
import { referenceScript } from '../support/pages.js';
import { exchange, RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

describe('malformed HTTP', () => {
  const server = RunningServer.forTests();

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
    await server.call('get', '/health/ready').expect(200);
  });
});
