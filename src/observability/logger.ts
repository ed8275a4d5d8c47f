import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import type { ApiRequest } from '../http/api-request.js';
import { isHealthCheck, routePattern } from '../http/request-head.js';
import { clientAddress } from '../http/client-address.js';

/** Maximum size of unread lines in memory, in bytes. */
const maxBuffered = 16 * 1024 * 1024;
const maxFlushMilliseconds = 1_000;

/**
 * Writes lines to a stream without blocking, by default to standard output. If 16 MiB are unread, further lines are dropped
 * and counted. Writes once per turn of the event loop, as a write for each line takes 5 % of the time of a read.
 */
export class LogOutput implements DestinationStream {
  droppedLines = 0;
  /** The lines of this turn. */
  private lines: string[] = [];
  private length = 0;

  constructor(private readonly stream: Writable = process.stdout) {
    // Each write handles its own failure.
    stream.on('error', () => undefined);
  }

  write(line: string): void {
    if (this.stream.writableLength + this.length + line.length > maxBuffered) this.droppedLines++;
    else {
      this.length += line.length;
      if (this.lines.push(line) === 1) setImmediate(() => this.writeLines());
    }
  }

  /** Waits until everything is written, at most 1 s. */
  async flush(): Promise<void> {
    this.writeLines();
    const written = new Promise((resolve) => this.stream.write('', resolve));
    await Promise.race([written, sleep(maxFlushMilliseconds)]);
  }

  private writeLines(): void {
    const { lines } = this;
    this.lines = [];
    this.length = 0;
    this.stream.write(lines.join(''), (error) => {
      if (error) this.droppedLines += lines.length;
    });
  }
}

/**
 * Creates a logger that writes JSON lines.
 * @param mixin returns fields that are added to every line
 */
export function createLogger(level: string, output: DestinationStream, mixin?: () => object): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError },
    ...(mixin && { mixin }),
  };
  return pino(options, output);
}

/** Returns the type, message, stack (with causes) and code of an error. Other properties may hold secrets. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: inspect(error, { depth: -1 }) };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}

/**
 * Creates the middleware that logs each request, health checks at level debug, without bodies, query values or headers.
 * The client's address is logged only with errors.
 * Overload rejections that were counted are logged in batches elsewhere, as a line for each would add to the load.
 */
export function requestLog(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const logged = request as ApiRequest;
    response.once('close', () => {
      if (logged.isCountedAsRejected) return;
      const level = isHealthCheck(request.url ?? '') ? 'debug' : 'info';
      logger[level](
        {
          requestId: logged.requestId,
          ...logged.otelSpan,
          method: request.method,
          route: routePattern(logged),
          status: response.statusCode,
          durationMs: Math.round((performance.now() - logged.arrivedAt) * 10) / 10,
          apiKeyId: logged.knownKey?.id,
          organizationId: logged.knownKey?.organizationId,
          userId: logged.adminContext?.user.id,
          ...(logged.errorCode !== undefined && errorFields(logged)),
          ...(!response.writableFinished && { aborted: true }),
        },
        'request completed',
      );
    });
    next();
  };
}

function errorFields(request: ApiRequest) {
  return { operation: request.operation, error: request.errorCode, address: clientAddress(request) || undefined };
}

/** Nest's classes that log every module and route at startup; logged at level debug. */
const verboseContexts: readonly unknown[] = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
];

/** Connects Nest's `Logger` to pino. */
export class PinoLoggerService implements LoggerService {
  readonly log = (message: unknown, ...rest: unknown[]) =>
    this.write(verboseContexts.includes(rest.at(-1)) ? 'debug' : 'info', message, rest);
  readonly error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest);
  readonly warn = (message: unknown, ...rest: unknown[]) => this.write('warn', message, rest);
  readonly debug = (message: unknown, ...rest: unknown[]) => this.write('debug', message, rest);
  readonly verbose = (message: unknown, ...rest: unknown[]) => this.write('trace', message, rest);
  readonly fatal = (message: unknown, ...rest: unknown[]) => this.write('fatal', message, rest);

  constructor(private readonly logger: Logger) {}

  /** Nest passes the logging class as the last argument, and details before it. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const error = [message, ...rest].find((part) => part instanceof Error);
    const details = rest.find((part) => typeof part === 'object' && part !== null && !(part instanceof Error));
    const text = message instanceof Error ? message.message : String(message);
    this.logger[level](
      { ...(details ?? {}), ...(context !== undefined && { context }), ...(error && { err: error }) },
      text,
    );
  }
}
