import { context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Connection, mongo } from 'mongoose';

/** Creates a span for each command that a traced request sends to the database, below that request's own span. */
export class CommandSpans {
  private readonly running = new Map<number, Span>();

  constructor(private readonly tracer: Tracer) {}

  /** Traces the commands of a connection, which must be opened with `monitorCommands`. */
  observe(connection: Connection): void {
    connection.on('commandStarted', (event: mongo.CommandStartedEvent) => this.start(event));
    connection.on('commandSucceeded', ({ requestId }: mongo.CommandSucceededEvent) => this.end(requestId));
    connection.on('commandFailed', ({ requestId, failure }: mongo.CommandFailedEvent) => this.end(requestId, failure));
  }

  /** The driver emits the event in the async context of the command's sender. */
  private start({ requestId, commandName, databaseName, address, command }: mongo.CommandStartedEvent): void {
    const parent = trace.getSpan(context.active());
    if (parent?.isRecording() !== true) return;
    // A command names its collection as the value of its own name, except those that continue a cursor.
    const { [commandName]: target, collection } = command as Record<string, unknown>;
    const name = [target, collection].find((value) => typeof value === 'string');
    const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
    const span = this.tracer.startSpan(name === undefined ? commandName : `${commandName} ${name}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'mongodb',
        'db.namespace': databaseName,
        'db.operation.name': commandName,
        ...(name !== undefined && { 'db.collection.name': name }),
        'server.address': host,
        ...(port !== undefined && { 'server.port': Number(port) }),
      },
    });
    this.running.set(requestId, span);
  }

  private end(requestId: number, failure?: Error): void {
    const span = this.running.get(requestId);
    if (span === undefined) return;
    this.running.delete(requestId);
    if (failure !== undefined) {
      // The message is omitted because it may contain values of a record.
      const { code } = failure as Error & { code?: unknown };
      span.setAttribute('error.type', failure.name);
      if (typeof code === 'number') span.setAttribute('db.response.status_code', String(code));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}
