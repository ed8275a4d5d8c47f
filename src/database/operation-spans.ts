import { context, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { onOperations } from './operation-events.js';

/** Creates a span for each operation of a model in a traced request, below that request's own span. */
export function traceOperations(tracer: Tracer): void {
  onOperations(({ operation, collection, database, serverAddress, serverPort }) => {
    if (trace.getSpan(context.active())?.isRecording() !== true) return undefined;
    const span = tracer.startSpan(`${operation} ${collection}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'mongodb',
        'db.namespace': database,
        'db.operation.name': operation,
        'db.collection.name': collection,
        'server.address': serverAddress,
        'server.port': serverPort,
      },
    });
    return (error) => {
      // The message is omitted because it may contain values of a record.
      if (error instanceof Error) span.setAttribute('error.type', error.name).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  });
}
