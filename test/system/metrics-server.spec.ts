import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { scrapeMetrics, metricsUrl } from '../support/metrics.js';
import { MongodProcess } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

jest.setTimeout(60_000);

describe('the metrics listener', () => {
  const server = RunningServer.forTests({ METRICS_PORT: '0' });

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
    const stopping = await RunningServer.start({ METRICS_PORT: '0' });
    const idle = await RawConnection.open(metricsUrl(stopping));
    idle.send('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.receives('ffapi_ready 1');
    const running = await RawConnection.open(stopping.url);
    const head = 'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    running.send(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
    await running.receives('100 Continue');
    const ended = stopping.end();
    await eventually('the shutdown', () => stopping.log.includes('"msg":"Stopping"'));
    const metrics = await scrapeMetrics(stopping);
    expect([metrics.sum('ffapi_ready'), metrics.sum('ffapi_http_requests_in_flight')]).toEqual([0, 1]);
    running.send('{}');
    const begun = Date.now();
    expect(await ended).toBe(0);
    expect(Date.now() - begun).toBeLessThan(5_000);
    for (const connection of [running, idle]) connection.close();
    await stopping.stop();
  });
});

describe('the metrics port', () => {
  const started: ServerProcess[] = [];

  afterEach(async () => {
    for (const server of started.splice(0)) await server.remove('SIGKILL');
  });

  const spawn = async (environment: Record<string, string>) => {
    const server = await ServerProcess.spawn({ MONGODB_URI: testDatabaseUri(), ...environment });
    started.push(server);
    return server;
  };

  /** Listens on a port: a free one, or the given one, which can already be in use. */
  const occupyPort = async (port = 0) => {
    const holder = net.createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening').catch(() => undefined);
    return holder;
  };

  it('stops the server with exit code 1 and one message if it is configured and in use', async () => {
    const holder = await occupyPort();
    const { port } = holder.address() as net.AddressInfo;
    const server = await spawn({ METRICS_PORT: String(port) });
    expect(await server.ended).toBe(1);
    expect(server.log).toContain(`Metrics cannot be served on 127.0.0.1:${port}: the port is in use`);
    expect(server.log).toContain('METRICS_PORT');
    expect(server.log).not.toMatch(/^ +at /m);
    holder.close();
  });

  it('stops the server with exit code 1 if its address is not local', async () => {
    const server = await spawn({ METRICS_PORT: '0', METRICS_HOST: '203.0.113.1' });
    expect(await server.ended).toBe(1);
    expect(server.log).toContain('Metrics cannot be served on 203.0.113.1:0');
  });

  it('is not opened, with a warning, if the default port is in use', async () => {
    const holder = await occupyPort(9464);
    const server = await spawn({ METRICS_PORT: '' });
    await server.waitForLog(
      /"level":"warn"[^\n]*Metrics cannot be served on 127\.0\.0\.1:9464: the port is in use[^\n]*METRICS_PORT/,
    );
    await server.waitForLog(/"msg":"Ready"/);
    holder.close();
  });
});

describe('the metrics while the database is down', () => {
  const mongod = MongodProcess.forTests();

  it('are served before the first connection and after an outage', async () => {
    await mongod.kill();
    const starting = await ServerProcess.spawn({ MONGODB_URI: mongod.uri, METRICS_PORT: '0' });
    try {
      await starting.waitForLog(/MongoDB is unavailable/);
      const text = await (await fetch(metricsUrl(starting))).text();
      expect(text).toMatch(/^ffapi_database_connected 0$/m);
      expect(text).toMatch(/^ffapi_ready 0$/m);
    } finally {
      await starting.remove('SIGKILL');
    }
    await mongod.start();
    const server = await RunningServer.start({ MONGODB_URI: mongod.uri, METRICS_PORT: '0' });
    expect((await scrapeMetrics(server)).sum('ffapi_ready')).toBe(1);
    await mongod.kill();
    const isDown = async () => (await scrapeMetrics(server)).sum('ffapi_database_connected') === 0;
    await eventually('the database is down', isDown);
    const before = (await scrapeMetrics(server)).sum('ffapi_database_operation_failures_total', {
      operation: 'findOne',
    });
    await server.call('post', '/auth/login').send({ email: 'a@example.com', password: 'long enough' }).expect(503);
    const metrics = await scrapeMetrics(server);
    expect(metrics.sum('ffapi_ready')).toBe(0);
    expect(metrics.sum('ffapi_change_stream_up')).toBe(0);
    expect(metrics.sum('ffapi_database_operation_failures_total', { operation: 'findOne' })).toBe(before + 1);
    await mongod.start();
    await eventually('ready', async () => (await scrapeMetrics(server)).sum('ffapi_ready') === 1, 20);
    // Interrupted operations are neither in use nor waiting; the server's own may be in use at any moment.
    await eventually(
      'the pool is idle',
      async () => (await scrapeMetrics(server)).sum('ffapi_database_pool_in_use') <= 1,
    );
    const again = await scrapeMetrics(server);
    expect(again.sum('ffapi_database_connected')).toBe(1);
    expect(again.sum('ffapi_database_pool_waiting')).toBe(0);
    expect(again.sum('ffapi_database_pool_connections')).toBeGreaterThan(0);
    await server.stop();
  });
});
