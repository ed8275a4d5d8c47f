import request from 'supertest';
import { freePort } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';
import { ServerProcess } from '../support/server-process.js';
import { testVariables } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';
import { TraceCollector } from '../support/trace-collector.js';

describe('a server with OTEL_METRICS_EXPORTER=otlp and OTEL_LOGS_EXPORTER=otlp', () => {
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
    await eventually('the server is ready', isReady, 20);
  };
  const messages = () => collector.logs.map(({ body }) => body);
  const requestLines = () => collector.logs.filter(({ attributes }) => attributes['status'] === 401);

  it('sends all metrics and lines to the collector until it has stopped, and nothing elsewhere', async () => {
    await start({ OTEL_TRACES_EXPORTER: 'none' });
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

    const metric = (name: string) => collector.metrics.findLast((each) => each.name === name)?.points ?? [];
    const route = { route: '/v1/public-api/me', method: 'GET' };
    expect(metric('ffapi_http_requests_total')).toContainEqual({ ...route, status: '401', value: 3 });
    expect(metric('ffapi_http_request_duration_seconds')).toContainEqual(
      expect.objectContaining({ ...route, value: 3 }),
    );
    expect(metric('ffapi_build_info')).toHaveLength(1);
    expect(metric('process_resident_memory_bytes')).toHaveLength(1);
  });

  it('keeps log lines until the collector accepts them, and says so on standard error', async () => {
    collector.isRejecting = true;
    await start({ OTEL_METRIC_EXPORT_INTERVAL: '1000' });
    await server.waitForLog(/The collector does not accept log lines/);
    await request(url).get('/v1/public-api/me').expect(401);
    collector.isRejecting = false;
    await eventually('the lines arrive', () => messages().includes('Ready') && requestLines().length > 0);
    await eventually('metrics arrive', () => collector.metrics.length > 0);
    const { traceId } = requestLines()[0] ?? {};
    await eventually('the span of the line arrives', () => collector.ofTrace(traceId ?? '').length > 0);
  });
});
