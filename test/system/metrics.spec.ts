import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { build } from '../../src/config/package.js';
import { metricsUrl, scrapeMetrics, type ScrapedMetrics } from '../support/metrics.js';
import { api, TestOrganization } from '../support/organization.js';
import { realHashes } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { exchange, RawConnection } from '../support/raw-http.js';
import { RunningServer, superAdmin } from '../support/server.js';

const limit = 40;
const failuresAllowed = 3;

/** Returns the increase of a metric. */
type Moved = (name: string, labels?: Record<string, string>) => number;

const server = RunningServer.forTests({
  ...realHashes,
  METRICS_PORT: '0',
  TRUST_PROXY: '1',
  RATE_LIMIT_PER_MINUTE: String(limit),
  AUTH_FAILURES_PER_MINUTE: String(failuresAllowed),
});

describe('the metrics', () => {
  const organization = TestOrganization.forTests(server, beforeEach);

  beforeAll(async () => {
    await eventually('the change stream is current', async () => (await shown()).sum('ffapi_change_stream_up') === 1);
  });

  /** Returns the metrics after all responses have been counted. */
  async function shown(): Promise<ScrapedMetrics> {
    let metrics = await scrapeMetrics(server);
    const isSettled = async () => (metrics = await scrapeMetrics(server)).sum('ffapi_http_requests_in_flight') === 0;
    await eventually('no request is in flight', isSettled);
    return metrics;
  }

  async function moved(work: () => Promise<unknown>): Promise<Moved> {
    const before = await shown();
    await work();
    const after = await shown();
    return (name, labels) => after.sum(name, labels) - before.sum(name, labels);
  }

  const times = async (count: number, work: (turn: number) => PromiseLike<unknown>) => {
    for (let turn = 0; turn < count; turn++) await work(turn);
  };
  const anAddress = () => `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;

  it('count and time each request by route pattern, method and status', async () => {
    const season = await organization.season();
    const by = await moved(async () => {
      await times(3, () => organization.call('get', '/seasons').expect(200));
      await organization.call('post', '/teams').send({ name: 'Hawks', season: season._id }).expect(201);
      await organization.call('get', `/schedules/${season._id}`).expect(404);
    });
    const requests = 'ffapi_http_requests_total';
    expect(by(requests, { route: `${api}/seasons`, method: 'GET', status: '200' })).toBe(3);
    expect(by(requests, { route: `${api}/teams`, method: 'POST', status: '201' })).toBe(1);
    expect(by(requests, { route: `${api}/schedules/:scheduleId`, method: 'GET', status: '404' })).toBe(1);
    expect(by(requests)).toBe(5);
    const durations = 'ffapi_http_request_duration_seconds';
    expect(by(`${durations}_count`, { route: `${api}/seasons`, method: 'GET' })).toBe(3);
    expect(by(`${durations}_bucket`, { route: `${api}/seasons`, le: '+Inf' })).toBe(3);
    expect(by(`${durations}_sum`)).toBeGreaterThan(0);
    expect(by('ffapi_error_responses_total', { code: '40402' })).toBe(1);
  });

  it('count a request whose client disconnected before the response as aborted', async () => {
    const labels = { route: '/auth/login', status: 'aborted' };
    const before = (await shown()).sum('ffapi_http_requests_total', labels);
    const connection = await RawConnection.open(server.url);
    const body = JSON.stringify(superAdmin);
    const head = `POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    connection.send(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
    await connection.receives('100 Continue');
    // Disconnects right after the body, before argon2 can finish.
    connection.send(body);
    connection.close();
    const after = async () => (await shown()).sum('ffapi_http_requests_total', labels);
    await eventually('the request is counted', async () => (await after()) === before + 1);
  });

  it('count malformed HTTP and CONNECT separately from requests', async () => {
    const by = await moved(async () => {
      await exchange(server.url, 'nonsense\r\n\r\n');
      await exchange(server.url, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    });
    expect(by('ffapi_malformed_requests_total')).toBe(2);
    expect(by('ffapi_http_requests_total')).toBe(0);
  });

  it('count an invalid key, but not a request without a key', async () => {
    const wrong = `${organization.key.apiKey.slice(0, -1)}_`;
    const ask = (key?: string) => {
      const call = server.call('get', `${api}/seasons`).set('X-Forwarded-For', anAddress());
      return (key === undefined ? call : call.set('Authorization', `Bearer ${key}`)).expect(401);
    };
    const by = await moved(async () => {
      await ask(wrong);
      await ask();
    });
    expect(by('ffapi_api_key_authentications_total')).toBe(1);
    expect(by('ffapi_api_key_authentications_total', { outcome: 'invalid' })).toBe(1);
    expect(by('ffapi_http_requests_total', { route: `${api}/seasons`, status: '401' })).toBe(2);
    expect(by('ffapi_error_responses_total', { code: '40101' })).toBe(2);
  });

  it('distinguish first key checks, reads of a key and cached keys', async () => {
    const outcomes = ['hash_verified', 'database_read', 'invalid', 'error', 'cache_hit'];
    const before = await shown();
    const ask = () => organization.call('get', '/seasons').expect(200);
    let sent = 0;
    const counts = async () => {
      const after = await shown();
      const name = 'ffapi_api_key_authentications_total';
      return outcomes.map((outcome) => after.sum(name, { outcome }) - before.sum(name, { outcome }));
    };
    const isCached = async () => {
      await ask();
      sent++;
      return (await counts())[4] === 1;
    };
    // Cached from its second use on, unless the change stream of a busy machine was late.
    await eventually('the key is cached', isCached);
    expect(await counts()).toEqual([1, sent - 2, 0, 0, 1]);
  });

  it('count requests over the rate limit by resource', async () => {
    await times(limit, () => organization.call('get', '/teams').expect(200));
    const by = await moved(() => times(2, () => organization.call('get', '/teams').expect(429)));
    expect(by('ffapi_rate_limited_total', { limit: 'requests', resource: 'teams' })).toBe(2);
    expect(by('ffapi_rate_limited_total')).toBe(2);
    expect(by('ffapi_http_requests_total', { route: `${api}/teams`, status: '429' })).toBe(2);
    expect(by('ffapi_error_responses_total', { code: '42901' })).toBe(2);
  });

  it('count failed authentications over the limit', async () => {
    const address = anAddress();
    const fail = () => server.call('get', `${api}/seasons`).set('X-Forwarded-For', address);
    const by = await moved(async () => {
      await times(failuresAllowed, () => fail().expect(401));
      await times(2, () => fail().expect(429));
    });
    expect(by('ffapi_rate_limited_total', { limit: 'authentications' })).toBe(2);
    expect(by('ffapi_error_responses_total', { code: '42902' })).toBe(2);
    expect(by('ffapi_rate_limited_total')).toBe(2);
  });

  it('count logins rejected by the login limits', async () => {
    const wrong = { email: `${randomUUID()}@example.com`, password: 'a wrong password' };
    const address = anAddress();
    const attempt = () => server.call('post', '/auth/login').set('X-Forwarded-For', address).send(wrong);
    const by = await moved(async () => {
      await times(10, () => attempt().expect(401));
      await times(2, () => attempt().expect(429));
    });
    expect(by('ffapi_rate_limited_total', { limit: 'logins' })).toBe(2);
    expect(by('ffapi_rate_limited_total')).toBe(2);
  });

  it('count replayed creates and creates rejected for another body', async () => {
    const team = await organization.team();
    const key = randomUUID();
    const create = (name: string) =>
      organization.call('post', `/teams/${team._id}/players`).set('idem-key', key).send({ name });
    const first = await moved(() => create('Jordan Lee').expect(201));
    expect(first('ffapi_idempotent_replays_total')).toBe(0);
    const by = await moved(async () => {
      await times(2, () => create('Jordan Lee').expect(201));
      await create('Kim Park').expect(422);
    });
    const outcomes = ['replayed', 'body_mismatch', 'in_progress'];
    const counts = outcomes.map((outcome) => by('ffapi_idempotent_replays_total', { outcome }));
    expect(counts).toEqual([2, 1, 0]);
  });

  it('count and time the operations of the database', async () => {
    const season = await organization.season();
    const name = 'ffapi_database_operation_duration_seconds';
    const creations = () =>
      moved(() => organization.call('post', '/teams').send({ name: 'Hawks', season: season._id }).expect(201));
    let create = await creations();
    const isCountedOnce = async () => {
      const isOnce = create(`${name}_count`, { operation: 'insertMany' }) === 1;
      if (!isOnce) create = await creations();
      return isOnce;
    };
    // Failed requests of earlier tests are inserted in the background.
    await eventually('a creation is counted once', isCountedOnce);
    expect(create(`${name}_sum`, { operation: 'insertMany' })).toBeGreaterThan(0);
    expect(create('ffapi_database_operation_failures_total')).toBe(0);
  });

  it('do not count a duplicate key as a failure of the database', async () => {
    const creator = { name: 'Dana', email: superAdmin.email, password: 'a long password' };
    const by = await moved(() =>
      server.asSuperAdmin('post', '/organizations').send({ name: 'Again', creator }).expect(409),
    );
    expect(by('ffapi_database_operation_failures_total')).toBe(0);
  });

  it('show the connection pool: connections, and none in use or waiting when idle', async () => {
    const metrics = await shown();
    expect(metrics.sum('ffapi_database_connected')).toBe(1);
    expect(metrics.sum('ffapi_database_pool_connections')).toBeGreaterThanOrEqual(2);
    expect(metrics.sum('ffapi_database_pool_connections')).toBeLessThanOrEqual(100);
    // The readiness check uses a connection during the scrape, and tasks in the background need one now and then.
    await eventually('the pool is idle', async () => {
      const current = await shown();
      return current.sum('ffapi_database_pool_in_use') <= 1 && current.sum('ffapi_database_pool_waiting') === 0;
    });
  });

  it('show the process, its version, readiness and that Redis is not configured', async () => {
    const metrics = await shown();
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(metrics.sum(name)).toBeGreaterThan(0);
    }
    expect(metrics.matching('ffapi_build_info', { ...build, node: process.version })).toHaveLength(1);
    const states = ['ffapi_ready', 'ffapi_redis_configured', 'ffapi_redis_up', 'ffapi_redis_outages_total'];
    expect(states.map((name) => metrics.sum(name))).toEqual([1, 0, 0, 0]);
  });

  it('have no more series after 1,000 random paths with any method', async () => {
    const visit = async (turn: number) => {
      const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE', 'LINK'][turn % 7];
      const path = [
        `/${randomUUID()}`,
        `${api}/${randomUUID()}/x`,
        `/docs/${randomUUID()}`,
        `${api}/teams/a/b/${turn}`,
      ];
      await (await fetch(`${server.url}${path[turn % 4]}`, { ...(method && { method }) })).text();
    };
    await times(28, visit);
    // Usage is written every 10 s.
    const hasWritten = async () =>
      (await shown()).sum('ffapi_database_operation_duration_seconds_count', { operation: 'bulkWrite' }) > 0;
    await eventually('each task in the background has run', hasWritten);
    const before = await shown();
    await Promise.all(Array.from({ length: 10 }, (_, part) => times(100, (turn) => visit(part * 100 + turn))));
    const after = await shown();
    expect(after.sum('ffapi_http_requests_total') - before.sum('ffapi_http_requests_total')).toBe(1_000);
    const own = ({ samples }: ScrapedMetrics) => samples.filter(({ name }) => name.startsWith('ffapi_')).length;
    expect(own(after)).toBe(own(before));
  });

  it('have no ID, key, address or organization name in a label', async () => {
    await organization.call('get', `/schedules/${organization.id}`).expect(404);
    const labels = (await shown()).samples.flatMap((sample) => Object.values(sample.labels)).join('\n');
    for (const secret of [organization.id, organization.key.keyPrefix, organization.key.id, '127.0.0.1', 'Bay Area']) {
      expect(labels).not.toContain(secret);
    }
    expect(labels).not.toMatch(/[0-9a-f]{24}/);
  });
});

/** Its last test stops the server. */
describe('the metrics listener', () => {
  it('responds to GET in the Prometheus format and to HEAD without a body', async () => {
    const got = await fetch(metricsUrl(server));
    expect(got.status).toBe(200);
    expect(got.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await got.text()).toContain('# TYPE ffapi_http_requests_total counter');
    const head = await fetch(metricsUrl(server), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it.each(['/', '/metrics/', '/health/live', '*'])('returns 404 for %s', async (path) => {
    const { port } = new URL(metricsUrl(server));
    const asked = http.request({ host: '127.0.0.1', port, path });
    asked.end();
    const [response] = (await once(asked, 'response')) as [http.IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(404);
  });

  it.each(['/metrics', '/v1/public-api/metrics'])('does not serve %s on the API port', async (path) => {
    for (const call of [server.call('get', path), server.asSuperAdmin('get', path)]) {
      const { status, text } = await call;
      expect(status).toBe(404);
      expect(text).not.toContain('ffapi_');
    }
  });

  it('still responds during a shutdown, with ffapi_ready 0, but does not delay it', async () => {
    const idle = await RawConnection.open(metricsUrl(server));
    idle.send('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.receives('ffapi_ready 1');
    const running = await RawConnection.open(server.url);
    const head = 'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    running.send(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
    await running.receives('100 Continue');
    const ended = server.end();
    await eventually('the shutdown', () => server.log.includes('"msg":"Stopping"'));
    const metrics = await scrapeMetrics(server);
    expect([metrics.sum('ffapi_ready'), metrics.sum('ffapi_http_requests_in_flight')]).toEqual([0, 1]);
    running.send('{}');
    const begun = Date.now();
    expect(await ended).toBe(0);
    expect(Date.now() - begun).toBeLessThan(5_000);
    for (const connection of [running, idle]) connection.close();
  });
});
