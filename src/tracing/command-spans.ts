import { context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { CommandObserver, SentCommand } from '../database/monitoring.js';

/** So many commands are under way at most; more would be a mistake, and must not cost memory. */
const mostUnderWay = 10_000;

/** A span for each command that the database gets for a traced request, below that request's own. */
export class CommandSpans implements CommandObserver {
  private readonly underWay = new Map<number, Span>();

  constructor(private readonly tracer: Tracer) {}

  started({ id, name, database, collection, address }: SentCommand): void {
    const parent = trace.getSpan(context.active());
    if (parent?.isRecording() !== true || this.underWay.size >= mostUnderWay) return;
    const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
    const span = this.tracer.startSpan(collection === undefined ? name : `${name} ${collection}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'mongodb',
        'db.namespace': database,
        'db.operation.name': name,
        ...(collection !== undefined && { 'db.collection.name': collection }),
        'server.address': host,
        ...(port !== undefined && { 'server.port': Number(port) }),
      },
    });
    this.underWay.set(id, span);
  }

  ended(id: number, failure?: Error): void {
    const span = this.underWay.get(id);
    if (span === undefined) return;
    this.underWay.delete(id);
    if (failure !== undefined) {
      // Without its message, which may hold values of a record.
      const { code } = failure as Error & { code?: unknown };
      span.setAttribute('error.type', failure.name);
      if (typeof code === 'number') span.setAttribute('db.response.status_code', String(code));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}
