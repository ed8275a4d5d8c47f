import { randomBytes } from 'node:crypto';
import { createOrganization, api, type Stored, type TestOrganization } from '../support/organization.js';
import { freePort } from '../support/mongod-process.js';
import { logLines, preload } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { type CollectedSpan, TraceCollector } from '../support/trace-collector.js';

const server = 2;
const client = 3;
const failed = 2;

/** A caller's trace: what is sent, and what is expected of it. */
function aTrace(flags = '01') {
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
    running = await RunningServer.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    organization = await createOrganization(running);
    team = await organization.team();
  });
  afterAll(async () => {
    await running.stop();
    await collector.stop();
  });

  const spansOf = async (traceId: string): Promise<CollectedSpan[]> => {
    const isThere = () => collector.ofTrace(traceId).some(({ kind }) => kind === server);
    await eventually('the span of the request is there', isThere);
    return collector.ofTrace(traceId);
  };

  it('makes a span of a request below the one of its caller, and spans of its commands below that', async () => {
    const { traceId, spanId, traceparent } = aTrace();
    const answer = await organization.call('get', `/teams/${team._id}/players`).set('traceparent', traceparent);
    expect(answer.status).toBe(200);
    const spans = await spansOf(traceId);
    const [request] = spans.filter(({ kind }) => kind === server);
    expect(request).toMatchObject({
      parentSpanId: spanId,
      name: `GET ${api}/teams/:teamId/players`,
      service: 'flag-football-public-api',
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
    // Nothing of who calls, nor of what is asked, but the two ids.
    const told = JSON.stringify(spans);
    for (const secret of [organization.key.apiKey, organization.key.id, team._id]) expect(told).not.toContain(secret);
  });

  it('gives each of many requests at once its own commands', async () => {
    const calls = Array.from({ length: 40 }, async (_, index) => {
      const trace = aTrace();
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
      const [request] = spans.filter(({ kind }) => kind === server);
      const commands = spans.filter(({ kind }) => kind === client);
      expect(commands.every(({ parentSpanId }) => parentSpanId === request?.spanId)).toBe(true);
      const own = commands.filter(({ attributes }) => attributes['db.collection.name'] === collection);
      expect(own.filter(({ name }) => name.startsWith(operation)).length).toBeGreaterThanOrEqual(1);
      const inserts = commands.filter(({ name }) => name.startsWith('insert'));
      expect(inserts.length).toBe(operation === '' ? 0 : 1);
    }
  });

  it('traces what the caller wants traced, and nothing else where the caller decides', async () => {
    const [unwanted, wanted] = [aTrace('00'), aTrace('01')];
    await organization.call('get', '/teams').set('traceparent', unwanted.traceparent).expect(200);
    await organization.call('get', '/teams').set('traceparent', wanted.traceparent).expect(200);
    await spansOf(wanted.traceId);
    expect(collector.ofTrace(unwanted.traceId)).toEqual([]);
  });

  it.each(['nonsense', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, ''])(
    'begins a trace of its own where the caller names none that is right: %j',
    async (traceparent) => {
      const answer = await organization.call('get', '/seasons').set('traceparent', traceparent).expect(200);
      const id = String(answer.headers['x-request-id']);
      const found = () => collector.spans.find(({ attributes }) => attributes['app.request.id'] === id);
      await eventually('the span is there', () => found() !== undefined);
      expect(found()?.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(found()?.parentSpanId ?? '').toBe('');
    },
  );

  it('names the trace in the line of the request, beside the request id', async () => {
    const { traceId, traceparent } = aTrace();
    const answer = await running.call('get', '/nothing').set('traceparent', traceparent).expect(404);
    const id = String(answer.headers['x-request-id']);
    expect((answer.body as { traceId: string }).traceId).toBe(id);
    const line = () => logLines(running.log, { msg: 'request' }).find(({ requestId }) => requestId === id);
    await eventually('the line is there', () => line() !== undefined);
    expect(line()?.['otelTraceId']).toBe(traceId);
    const [request] = await spansOf(traceId);
    expect([request?.name, request?.attributes['http.response.status_code']]).toEqual(['GET', 404]);
    // A refusal is the caller's fault and no error of the server.
    expect(request?.status.code).not.toBe(failed);
  });

  it('does not trace questions for its health', async () => {
    const health = aTrace();
    const other = aTrace();
    await running.call('get', '/health/ready').set('traceparent', health.traceparent).expect(200);
    await running.call('get', '/Health/live').set('traceparent', health.traceparent).expect(200);
    await organization.call('get', '/teams').set('traceparent', other.traceparent).expect(200);
    await spansOf(other.traceId);
    expect(collector.ofTrace(health.traceId)).toEqual([]);
  });
});

describe('traces', () => {
  let collector: TraceCollector | undefined;
  let running: RunningServer;

  afterEach(async () => {
    await running.stop();
    await collector?.stop();
    collector = undefined;
  });

  it('mark a request that a fault of the server ends as an error', async () => {
    collector = await TraceCollector.start();
    running = await RunningServer.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'other' });
    const { traceId, traceparent } = aTrace();
    const organization = await createOrganization(running);
    await organization.team();
    // A record that no mapper can read.
    await (await running.database()).collection('teams').updateMany({}, { $set: { createdAt: 'never' } });
    expect((await organization.call('get', '/teams').set('traceparent', traceparent)).status).toBe(500);
    await eventually('the span is there', () =>
      (collector?.ofTrace(traceId) ?? []).some(({ kind }) => kind === server),
    );
    const [request] = collector.ofTrace(traceId).filter(({ kind }) => kind === server);
    expect(request).toMatchObject({
      status: { code: failed },
      service: 'other',
      attributes: { 'error.type': '500', 'http.response.status_code': 500 },
    });
  });

  it('that still wait are sent when the server stops', async () => {
    collector = await TraceCollector.start();
    running = await RunningServer.start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` });
    const { traceId, traceparent } = aTrace();
    await running.call('get', '/openapi.json').set('traceparent', traceparent).expect(200);
    expect(await running.end()).toBe(0);
    expect(collector.ofTrace(traceId)).toHaveLength(1);
  });

  it.each(['is away', 'hangs'])('whose collector %s cost no request and hold up no stop', async (how) => {
    const port = await freePort();
    if (how === 'hangs') {
      collector = await TraceCollector.start(port);
      collector.isHanging = true;
    }
    running = await RunningServer.start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    for (let round = 0; round < 30; round++) {
      const calls = Array.from({ length: 100 }, () => running.call('get', '/nothing'));
      for (const { status } of await Promise.all(calls)) expect(status).toBe(404);
    }
    if (how === 'is away') {
      const told = () =>
        logLines(running.log, { level: 'warn' }).filter(({ msg }) => String(msg).includes('collector'));
      await eventually('it is told', () => told().length > 0, 20);
      expect(told()).toHaveLength(1);
    }
    const begun = Date.now();
    expect(await running.end()).toBe(0);
    expect(Date.now() - begun).toBeLessThan(6_000);
    expect(logLines(running.log, { level: 'error' })).toEqual([]);
  });

  it.each([
    ['are off, nothing of OpenTelemetry is loaded', {}, 'loaded: none'],
    ['are on, it is', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, 'loaded: some'],
  ])('%s', async (_what, environment, expected) => {
    const spy = preload(`
      import { Session } from 'node:inspector';
      process.on('SIGUSR2', () => {
        const session = new Session();
        const loaded = [];
        session.connect();
        session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
        session.post('Debugger.enable');
        // The part of the bundle that begins with src/tracing.
        const some = loaded.some((url) => /^file:.*.bundle.tracing-/.test(url));
        process.stderr.write(some ? 'loaded: some' : 'loaded: none');
        session.disconnect();
      });`);
    running = await RunningServer.start({ ...environment, ...spy });
    running.process.kill('SIGUSR2');
    await eventually('it is told', () => /loaded: \w+/.test(running.log));
    expect(running.log).toContain(expected);
    const line = logLines(running.log, { msg: 'request' }).at(-1);
    expect(line !== undefined && 'otelTraceId' in line).toBe(expected === 'loaded: some');
  });
});
