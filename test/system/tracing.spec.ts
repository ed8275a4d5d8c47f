import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { build } from '../../src/config/package.js';
import { createOrganization, api, type Stored, type TestOrganization } from '../support/organization.js';
import { cheapHashes, logLines, preload } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { askWhatIsLoaded, type CollectedSpan, loadingSpy, TraceCollector } from '../support/trace-collector.js';

const client = 3;
const failed = 2;

/** Creates the trace context of a caller. */
function createTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

describe('a server with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let collector: TraceCollector;
  let running: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    running = await RunningServer.start({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
      ...{ OTEL_METRIC_EXPORT_INTERVAL: '1000', ...preload(cheapHashes, loadingSpy) },
    });
    organization = await createOrganization(running);
    team = await organization.team();
  });
  afterAll(async () => {
    await running.stop();
    await collector.stop();
  });

  const spansOf = async (traceId: string): Promise<CollectedSpan[]> => {
    await eventually('the span of the request', () => collector.requestsOf(traceId).length > 0);
    return collector.ofTrace(traceId);
  };

  it('creates a span of a request under that of its caller, and spans of its commands under the request', async () => {
    const { traceId, spanId, traceparent } = createTrace();
    const answer = await organization.call('get', `/teams/${team._id}/players`).set('traceparent', traceparent);
    expect(answer.status).toBe(200);
    const spans = await spansOf(traceId);
    const [request] = collector.requestsOf(traceId);
    expect(request).toMatchObject({
      parentSpanId: spanId,
      name: `GET ${api}/teams/:teamId/players`,
      resource: {
        'service.name': 'flag-football-public-api',
        'service.version': build.version,
        'vcs.ref.head.revision': build.commit,
      },
      attributes: {
        'http.request.method': 'GET',
        'http.route': `${api}/teams/:teamId/players`,
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'network.protocol.version': '1.1',
        'app.request.id': String(answer.headers['x-request-id']),
        'app.organization.id': organization.id,
      },
    });
    const commands = spans.filter(({ kind }) => kind === client);
    expect(commands.map(({ parentSpanId }) => parentSpanId)).toEqual(commands.map(() => request?.spanId));
    const players = commands.find(({ attributes }) => attributes['db.collection.name'] === 'players');
    expect(players?.name).toMatch(/^(find|aggregate) players$/);
    expect(players?.attributes).toMatchObject({ 'db.system.name': 'mongodb', 'server.address': '127.0.0.1' });
    // Nothing about the caller or the request except the two IDs.
    const text = JSON.stringify(spans);
    for (const secret of [organization.key.apiKey, organization.key.id, team._id]) expect(text).not.toContain(secret);
  });

  it('assigns commands to the right one of many concurrent requests', async () => {
    const calls = Array.from({ length: 40 }, async (_, index) => {
      const trace = createTrace();
      const name = `Team ${index}`;
      const call =
        index % 2 === 0
          ? organization.call('post', '/teams').send({ name, season: team['season'] })
          : organization.call('get', `/teams/${team._id}/players`);
      expect((await call.set('traceparent', trace.traceparent)).status).toBeLessThan(300);
      return {
        ...trace,
        collection: index % 2 === 0 ? 'teams' : 'players',
        operation: index % 2 === 0 ? 'insert' : '',
      };
    });
    for (const { traceId, collection, operation } of await Promise.all(calls)) {
      const spans = await spansOf(traceId);
      const [request] = collector.requestsOf(traceId);
      const commands = spans.filter(({ kind }) => kind === client);
      expect(commands.every(({ parentSpanId }) => parentSpanId === request?.spanId)).toBe(true);
      const own = commands.filter(({ attributes }) => attributes['db.collection.name'] === collection);
      expect(own.filter(({ name }) => name.startsWith(operation)).length).toBeGreaterThanOrEqual(1);
      const inserts = commands.filter(({ name }) => name.startsWith('insert'));
      expect(inserts.length).toBe(operation === '' ? 0 : 1);
    }
  });

  it('logs the trace ID with the request ID', async () => {
    const { traceId, traceparent } = createTrace();
    const answer = await running.call('get', '/nothing').set('traceparent', traceparent).expect(404);
    const id = String(answer.headers['x-request-id']);
    expect((answer.body as { traceId: string }).traceId).toBe(id);
    const line = () => logLines(running.log, { msg: 'request completed' }).find(({ requestId }) => requestId === id);
    await eventually('the log line', () => line() !== undefined);
    expect(line()?.['otelTraceId']).toBe(traceId);
    await spansOf(traceId);
    const [request] = collector.requestsOf(traceId);
    expect([request?.name, request?.attributes['http.response.status_code']]).toEqual(['GET', 404]);
    // A rejected request is not an error of the server.
    expect(request?.status.code).not.toBe(failed);
  });

  it('does not trace health checks', async () => {
    const health = createTrace();
    const other = createTrace();
    await running.call('get', '/health/ready').set('traceparent', health.traceparent).expect(200);
    await running.call('get', '/Health/live').set('traceparent', health.traceparent).expect(200);
    await organization.call('get', '/teams').set('traceparent', other.traceparent).expect(200);
    await spansOf(other.traceId);
    expect(collector.ofTrace(health.traceId)).toEqual([]);
  });

  it('marks a request that returned 500 as an error', async () => {
    const { traceId, traceparent } = createTrace();
    const broken = await createOrganization(running);
    const { _id } = await broken.team();
    // A record that cannot be mapped.
    const teams = (await running.database()).collection('teams');
    await teams.updateOne({ _id: new ObjectId(_id) }, { $set: { createdAt: 'never' } });
    expect((await broken.call('get', '/teams').set('traceparent', traceparent)).status).toBe(500);
    await spansOf(traceId);
    const [request] = collector.requestsOf(traceId);
    expect(request).toMatchObject({
      status: { code: failed },
      attributes: { 'error.type': '500', 'http.response.status_code': 500 },
    });
  });

  it('sends only traces, without other variables', async () => {
    expect(await askWhatIsLoaded(running.process, running)).toBe('loaded: some');
    expect([collector.metrics, collector.logs]).toEqual([[], []]);
  });

  it('serves requests and stops while the collector hangs', async () => {
    collector.isHanging = true;
    const errors = logLines(running.log, { level: 'error' }).length;
    // More spans than the queue of the SDK has room for.
    for (let round = 0; round < 22; round++) {
      const calls = Array.from({ length: 100 }, () => running.call('get', '/nothing'));
      for (const { status } of await Promise.all(calls)) expect(status).toBe(404);
    }
    const begun = Date.now();
    expect(await running.end()).toBe(0);
    expect(Date.now() - begun).toBeLessThan(6_000);
    expect(logLines(running.log, { level: 'error' })).toHaveLength(errors);
  });
});
