import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { proxyProgram } from '../../scripts/cluster/programs.js';
import { freePort } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';

const office = '127.0.0.5';
const adminPaths = ['/console', '/auth/login', '/Organizations', '/v1/../users', '//console'];

/** Caddy in front of an upstream that responds 200 to everything. */
describe.each([
  ['without ADMIN_NETWORKS', {}, 200],
  ['with ADMIN_NETWORKS', { ADMIN_NETWORKS: `${office} 10.0.0.0/8` }, 404],
])('the Caddyfile %s', (_, variables, elsewhere) => {
  let folder: string;
  let upstream: http.Server;
  let caddy: ChildProcess;
  let port: number;
  let log = '';

  const get = (requested: string, localAddress: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: requested, localAddress, rejectUnauthorized: false };
      https
        .get({ ...options, agent: false }, (response) => {
          let body = '';
          response.on('data', (chunk: Buffer) => (body += chunk.toString()));
          response.on('end', () => resolve({ status: response.statusCode, body }));
        })
        .on('error', reject);
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'caddy-'));
    upstream = http
      .createServer((request, response) => {
        if (/calendars|search/i.test(request.url ?? '')) request.socket.destroy();
        else response.end('ok');
      })
      .listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    port = await freePort();
    const upstreams = [`127.0.0.1:${(upstream.address() as AddressInfo).port}`];
    const ports = { port, plainPort: await freePort(), lastResortPort: await freePort() };
    const program = proxyProgram('caddy', folder, { ...ports, upstreams });
    const env = { PATH: process.env['PATH'], ...program.env, ...variables };
    caddy = spawn(program.command, program.programArguments, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
    caddy.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await eventually('Caddy serves', () =>
      get('/openapi.json', office).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    caddy.kill();
    await once(caddy, 'exit');
    upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('publishes no health checks', async () => {
    for (const requested of ['/health/ready', '/health/live?x', '/Health/ready/', '/health']) {
      const { status, body } = await get(requested, office);
      expect([requested, status]).toEqual([requested, 404]);
      expect(JSON.parse(body)).toMatchObject({ error: 40400, message: 'Route not found' });
    }
  });

  it('logs a failed request for a calendar without its token', async () => {
    for (const requested of [
      '/v1/public-api/calendars/secret-token.ics',
      '/V1/public-api/Calendars/secret-token.ics?a',
    ])
      expect((await get(requested, office)).status).toBe(503);
    await eventually('the failures are logged', () =>
      Promise.resolve((log.match(/calendars\/hidden/gi) ?? []).length > 1),
    );
    expect(log).not.toContain('secret-token');
  });

  it('logs a failed search without its text', async () => {
    for (const requested of ['/organizations/1/records?search=Jordan', '/users?page=2&Search=Jordan%20Lee&limit=20'])
      expect((await get(requested, office)).status).toBe(503);
    await eventually('the failures are logged', () => Promise.resolve(/search=hidden&limit=20/i.test(log)));
    expect(log).toContain('/organizations/1/records?search=hidden"');
    expect(log).not.toContain('Jordan');
  });

  it('limits the console and the admin routes to the networks, if there are any', async () => {
    for (const requested of adminPaths) {
      expect([requested, (await get(requested, office)).status]).toEqual([requested, 200]);
      expect([requested, (await get(requested, '127.0.0.6')).status]).toEqual([requested, elsewhere]);
    }
    for (const requested of [
      '/v1/public-api/teams',
      '/openapi.json',
      '/openapi-3.1.json',
      '/llms.txt',
      '/docs',
      '/docs/quickstart.json',
    ])
      expect([requested, (await get(requested, '127.0.0.6')).status]).toEqual([requested, 200]);
  });
});
