import { errorCatalogue } from '../../src/errors/error-catalogue.js';
import { CaddyProxy } from '../support/caddy.js';
import { eventually } from '../support/processes.js';

const office = '127.0.0.5';
const adminPaths = [
  '/console',
  '/auth/login',
  '/Organizations',
  '/v1/../users',
  '//console',
  '/c2/console',
  '/c2//users',
];

/** Caddy in front of an upstream that responds 200 to everything. */
describe.each<[string, Record<string, string>, number]>([
  ['without ADMIN_NETWORKS', {}, 200],
  ['with ADMIN_NETWORKS', { ADMIN_NETWORKS: `${office} 10.0.0.0/8` }, 404],
])('the Caddyfile %s', (_, variables, elsewhere) => {
  const proxy = CaddyProxy.forTests((request, response) => {
    if (/calendars|search/i.test(request.url ?? '')) request.socket.destroy();
    else response.end('ok');
  }, variables);
  const get = (requested: string, localAddress: string) => proxy.call(requested, { localAddress });

  it('publishes no health checks', async () => {
    for (const requested of ['/health/ready', '/health/live?x', '/Health/ready/', '/health', '//c2/health/live']) {
      const { status, body } = await get(requested, office);
      expect([requested, status]).toEqual([requested, 404]);
      expect(JSON.parse(body)).toMatchObject({ error: 40400, message: errorCatalogue.routeNotFound.message });
    }
  });

  it('logs a failed request for a calendar without its token', async () => {
    for (const requested of [
      '/v1/public-api/calendars/secret-token.ics',
      '/V1/public-api/Calendars/secret-token.ics?a',
    ])
      expect((await get(requested, office)).status).toBe(503);
    await eventually('the failures are logged', () => (proxy.log.match(/calendars\/hidden/gi) ?? []).length > 1);
    expect(proxy.log).not.toContain('secret-token');
  });

  it('logs a failed search without its text', async () => {
    for (const requested of ['/organizations/1/records?search=Jordan', '/users?page=2&Search=Jordan%20Lee&limit=20'])
      expect((await get(requested, office)).status).toBe(503);
    await eventually('the failures are logged', () => /search=hidden&limit=20/i.test(proxy.log));
    expect(proxy.log).toContain('/organizations/1/records?search=hidden"');
    expect(proxy.log).not.toContain('Jordan');
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
      '/openapi.yaml',
      '/llms.txt',
      '/llms-full.txt',
      '/docs',
      '/docs/quickstart.json',
      '/c2/v1/public-api/teams',
    ])
      expect([requested, (await get(requested, '127.0.0.6')).status]).toEqual([requested, 200]);
  });
});
