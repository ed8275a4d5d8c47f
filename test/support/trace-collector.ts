import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { eventually } from './processes.js';

/** The kind of a request's span in OTLP. */
const requestKind = 2;

/** A span of OTLP in JSON, with its attributes as a plain object. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

interface CollectedLog {
  body: unknown;
  severityText: string;
  severityNumber: number;
  traceId?: string;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
interface Attribute {
  key: string;
  value: Value;
}
type RawSpan = Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] };
interface Resource {
  resource: { attributes: Attribute[] };
}
interface Point {
  attributes: Attribute[];
  asDouble?: number;
  count?: number;
}
type RawMetric = Partial<Record<'sum' | 'gauge' | 'histogram', { dataPoints: Point[] }>> & { name: string };
type RawLog = Pick<CollectedLog, 'severityText' | 'severityNumber' | 'traceId'> & {
  body: Value;
  attributes: Attribute[];
};
interface Request {
  resourceMetrics?: (Resource & { scopeMetrics: { metrics: RawMetric[] }[] })[];
  resourceLogs?: (Resource & { scopeLogs: { logRecords: RawLog[] }[] })[];
  resourceSpans?: { resource: { attributes: Attribute[] }; scopeSpans: { spans: RawSpan[] }[] }[];
}

/** A collector for OTLP over HTTP in JSON, which can hang or fail on request. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  readonly logs: CollectedLog[] = [];
  readonly metrics: { name: string; points: Record<string, unknown>[] }[] = [];
  /** Accept requests without ever responding. */
  isHanging = false;
  /** The status of every response. */
  status = 200;
  requests = 0;
  /** The bodies of requests that got another status than 200. */
  failed = '';
  private readonly server = http.createServer((request, response) => void this.take(request, response));

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    collector.server.listen(0, '127.0.0.1');
    await once(collector.server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of one trace. */
  ofTrace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** The spans of the requests of one trace, without those of operations below them. */
  requestsOf(traceId: string): CollectedSpan[] {
    return this.ofTrace(traceId).filter(({ kind }) => kind === requestKind);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.requests++;
    const body = (await json(request)) as Request;
    if (this.isHanging) return;
    response.statusCode = this.status;
    if (this.status === 200) this.store(body);
    else this.failed += JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json').end('{}');
  }

  private store({ resourceSpans = [], resourceLogs = [], resourceMetrics = [] }: Request): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ ...span, attributes: valuesOf(span.attributes), resource: valuesOf(resource.attributes) });
      }
    }
    for (const { resource, scopeLogs } of resourceLogs) {
      for (const { body, attributes, ...log } of scopeLogs.flatMap(({ logRecords }) => logRecords)) {
        const values = { body: valueOf(body), attributes: valuesOf(attributes) };
        this.logs.push({ ...log, ...values, resource: valuesOf(resource.attributes) });
      }
    }
    for (const { name, ...data } of resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics }) => metrics),
    )) {
      const points = (data.sum ?? data.gauge ?? data.histogram)?.dataPoints ?? [];
      const toPoint = ({ attributes, asDouble, count }: Point) => ({
        ...valuesOf(attributes),
        value: asDouble ?? count,
      });
      this.metrics.push({ name, points: points.map(toPoint) });
    }
  }
}

function valueOf({ stringValue, intValue, doubleValue, boolValue }: Value): unknown {
  return stringValue ?? intValue ?? doubleValue ?? boolValue;
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

/** Code of a server that says at a signal whether the SDK of OpenTelemetry is loaded. */
export const loadingSpy = `
  import { Session } from 'node:inspector';
  process.on('SIGUSR2', () => {
    const session = new Session();
    const loaded = [];
    session.connect();
    session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
    session.post('Debugger.enable');
    const some = loaded.some((url) => url.includes('/node_modules/@opentelemetry/sdk-'));
    process.stderr.write(some ? 'loaded: some' : 'loaded: none');
    session.disconnect();
  });`;

/** Returns `loaded: some` or `loaded: none`. */
export async function askWhatIsLoaded(server: ChildProcess, running: { readonly log: string }): Promise<string> {
  server.kill('SIGUSR2');
  let said: RegExpExecArray | null = null;
  await eventually('the answer', () => (said = /loaded: \w+/.exec(running.log)) !== null);
  return String(said);
}
