import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { freePort } from '../support/mongod-process.js';
import { logLines } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { ServerProcess } from '../support/server-process.js';
import { testVariables } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';
import { TraceCollector } from '../support/trace-collector.js';

/** Traces only, by default: `tracing`. */
describe('a server that sends metrics and log lines, too', () => {
  let collector: TraceCollector;
  let server: ServerProcess;
  let url: string;

  beforeEach(async () => {
    collector = await TraceCollector.start();
  });
  afterEach(async () => {
    await server.remove('SIGKILL');
    await collector.stop();
  });

  const start = async (variables: Record<string, string> = {}) => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = await ServerProcess.spawn({
      ...testVariables(testDatabaseUri()),
      PORT: String(port),
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      ...variables,
    });
    const isReady = async () =>
      (
        await request(url)
          .get('/health/ready')
          .catch(() => undefined)
      )?.status === 200;
    await eventually('the server is ready', isReady, 60);
  };
  const messages = () => collector.logs.map(({ body }) => body);
  const requestLines = () => collector.logs.filter(({ attributes }) => attributes['status'] === 401);

  const metric = (name: string) => collector.metrics.findLast((each) => each.name === name)?.points ?? [];

  it('sends all metrics and lines until it has stopped, if so configured, and writes and serves none', async () => {
    const metricsPort = await freePort();
    await start({ OTEL_TRACES_EXPORTER: 'none', METRICS_PORT: String(metricsPort) });
    await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow('fetch failed');
    for (let sent = 0; sent < 3; sent++) await request(url).get('/v1/public-api/me').expect(401);
    expect(await server.end()).toBe(0);
    expect(server.log).toBe('');
    expect(collector.spans).toEqual([]);

    expect(messages().filter((body) => body === 'Ready')).toHaveLength(1);
    expect(messages().at(-1)).toBe('Stopped');
    expect(requestLines()).toHaveLength(3);
    expect(requestLines()[0]).toMatchObject({
      severityText: 'info',
      severityNumber: 9,
      attributes: { method: 'GET', route: '/v1/public-api/me', status: 401, error: 40101 },
      resource: { 'service.name': 'flag-football-public-api' },
    });

    const route = { route: '/v1/public-api/me', method: 'GET' };
    expect(metric('ffapi_http_requests_total')).toContainEqual({ ...route, status: '401', value: 3 });
    expect(metric('ffapi_http_request_duration_seconds')).toContainEqual(
      expect.objectContaining({ ...route, value: 3 }),
    );
    expect(metric('ffapi_build_info')).toHaveLength(1);
    expect(metric('process_resident_memory_bytes')).toHaveLength(1);
  });

  it('says once on standard error that the collector rejects data, sends later lines, and lines again after it was unavailable; no traces beyond the configured share, except those that the caller decided to record', async () => {
    collector.status = 400;
    await start({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_METRIC_EXPORT_INTERVAL: '1000' },
      ...{ OTEL_TRACES_SAMPLER_ARG: '0', OTEL_SERVICE_NAME: 'other' },
    });
    await server.waitForLog(/The collector does not accept/);
    await eventually('the collector rejects more', () => collector.failed.includes('"ffapi_build_info"'));
    collector.status = 200;
    await request(url).get('/v1/public-api/me').expect(401);
    await eventually('the next line arrives', () => requestLines().length === 1);
    await eventually('metrics arrive', () => collector.metrics.length > 0);
    expect(logLines(server.log, { level: 'warn' })).toHaveLength(1);

    collector.failed = '';
    collector.status = 503;
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    await request(url).get('/v1/public-api/me').set('traceparent', traceparent).expect(401);
    await eventually('the collector rejects the line', () => collector.failed.includes('"request completed"'));
    collector.status = 200;
    await eventually('the line arrives', () => requestLines().length === 2, 20);
    // Without spans below it: an overloaded server also reads the networks of admins.
    await eventually('the span of the line arrives', () => collector.requestsOf(traceId).length === 1);
    expect(requestLines()[1]?.traceId).toBe(traceId);
    expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'other' });
  });
});
