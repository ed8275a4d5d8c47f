import { CaddyProxy, textOf } from '../support/caddy.js';

jest.setTimeout(60_000);

/** Caddy in front of one upstream that serves, but fails all health checks. */
describe('the Caddyfile while no server counts as ready', () => {
  // Until its first checks, Caddy counts every server as ready.
  const proxy = CaddyProxy.forTests((request, response) => {
    if (request.url === '/health/ready') response.writeHead(503).end();
    else void textOf(request).then((body) => response.end(JSON.stringify({ body, headers: request.headers })));
  });

  const call = (method: string, body = '') => {
    const headers = { 'X-Forwarded-For': '203.0.113.7', 'Content-Length': body.length };
    return proxy.call('/v1/public-api/teams', { method, headers, localAddress: '127.0.0.5' }, body);
  };

  it('sends it reads, and writes with their whole body, as from the client', async () => {
    for (const [method, body] of [
      ['GET', ''],
      ['POST', `{"name":"${'x'.repeat(100_000)}"}`],
      ['DELETE', ''],
    ] as const) {
      const answer = await call(method, body);
      expect([method, answer.status]).toEqual([method, 200]);
      const received = JSON.parse(answer.body) as { body: string; headers: Record<string, string> };
      expect(received.body).toBe(body);
      expect(received.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.5', 'x-forwarded-proto': 'https' });
    }
  });

  it('responds itself if it does not serve either', async () => {
    proxy.upstream.close();
    proxy.upstream.closeAllConnections();
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await call(method);
      expect([method, status, headers['retry-after']]).toEqual([method, 503, '1']);
      expect(JSON.parse(body)).toMatchObject({ error: 50301, message: 'No server is available' });
      expect(headers['server']).toBeUndefined();
    }
  });
});
