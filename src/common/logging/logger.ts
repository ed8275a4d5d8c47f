import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { currentRequestId } from './request-id-store.js';

/** JSON lines on standard output; every line that belongs to a request carries its id. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const requestId = currentRequestId();
      return requestId === undefined ? {} : { requestId };
    },
  });
}

/**
 * Writes text for people, as it is, below the lines that were logged before it. It takes their stream: that one
 * writes in its own time, and a second writer to standard output would come before or between them.
 */
export function writeForPeople(logger: Logger, text: string): void {
  const { [pino.symbols.streamSym]: stream } = logger as unknown as Record<symbol, NodeJS.WritableStream>;
  stream?.write(text);
}

/** Where Nest tells of every module and route at the start: worth a line only to who looks for it. */
const talkative: readonly unknown[] = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
];

/** Lets Nest, and whoever uses Nest's `Logger`, write through pino. */
export class PinoLoggerService implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(talkative.includes(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest hands over the place (`context`) as the last argument, and what belongs to the message before it. */
  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const place = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const error = [message, ...rest].find((part) => part instanceof Error);
    const details = rest.find((part) => typeof part === 'object' && part !== null && !(part instanceof Error));
    const text = message instanceof Error ? message.message : String(message);
    this.logger[level](
      { ...(details ?? {}), ...(place !== undefined && { place }), ...(error && { err: error }) },
      text,
    );
  }
}
