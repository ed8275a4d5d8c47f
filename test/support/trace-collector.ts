import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

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

interface Value {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
}
interface Attribute {
  key: string;
  value: Value;
}
type RawSpan = Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] };
interface Request {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: RawSpan[] }[] }[];
}

/** A trace collector for OTLP over HTTP in JSON, which can hang on request. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Accept requests without ever responding. */
  isHanging = false;
  requests = 0;
  private readonly server = http.createServer((request, response) => void this.take(request, response));

  static async start(port = 0): Promise<TraceCollector> {
    const collector = new TraceCollector();
    collector.server.listen(port, '127.0.0.1');
    await once(collector.server, 'listening');
    return collector;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The spans of one trace. */
  ofTrace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
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
    if (this.isHanging || request.url !== '/v1/traces') return;
    for (const { resource, scopeSpans } of body.resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ ...span, attributes: valuesOf(span.attributes), resource: valuesOf(resource.attributes) });
      }
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  }
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  const entries = attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
