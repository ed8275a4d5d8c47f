import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { proxyProgram } from '../../scripts/cluster/programs.js';
import { freePort } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';

jest.setTimeout(60_000);

interface Answer {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

async function textOf(message: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Caddy in front of one upstream that serves, but fails all health checks. */
describe('the Caddyfile while no server counts as ready', () => {
  let folder: string;
  let upstream: http.Server;
  let caddy: ChildProcess;
  let port: number;
  let upstreamPort: number;

  const call = (method: string, body = '') =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { 'X-Forwarded-For': '203.0.113.7', 'Content-Length': body.length };
      const options = {
        host: '127.0.0.1',
        port,
        path: '/v1/public-api/teams',
        localAddress: '127.0.0.5',
        method,
        headers,
      };
      const request = https.request({ ...options, rejectUnauthorized: false, agent: false }, (response) => {
        textOf(response).then(
          (text) => resolve({ status: response.statusCode, headers: response.headers, body: text }),
          reject,
        );
      });
      request.on('error', reject).end(body);
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'caddy-'));
    [port, upstreamPort] = [await freePort(), await freePort()];
    upstream = http.createServer((request, response) => {
      if (request.url === '/health/ready') response.writeHead(503).end();
      else void textOf(request).then((body) => response.end(JSON.stringify({ body, headers: request.headers })));
    });
    upstream.listen(upstreamPort, '127.0.0.1');
    await once(upstream, 'listening');
    const ports = { port, plainPort: await freePort(), lastResortPort: await freePort() };
    const program = proxyProgram('caddy', folder, { ...ports, upstreams: [`127.0.0.1:${upstreamPort}`] });
    const env = { PATH: process.env['PATH'], ...program.env };
    caddy = spawn(program.command, program.programArguments, { cwd: folder, env, stdio: 'ignore' });
    // Until its first checks, Caddy counts every server as ready.
    const isUp = () => call('GET').then(Boolean, () => false);
    await eventually('Caddy serves', isUp, 30);
  });
  afterAll(async () => {
    caddy.kill();
    await once(caddy, 'exit');
    upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

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
    upstream.close();
    upstream.closeAllConnections();
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await call(method);
      expect([method, status, headers['retry-after']]).toEqual([method, 503, '1']);
      expect(JSON.parse(body)).toMatchObject({ error: 50301, message: 'No server is available' });
      expect(headers['server']).toBeUndefined();
    }
  });
});
