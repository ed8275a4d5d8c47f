import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { LogOutput } from './log-output.js';

/** What a line of the log has beside what is logged: nothing, or what belongs to the moment it is logged in. */
export type LineContext = () => Readonly<Record<string, unknown>>;

/**
 * JSON lines on an output. Whoever logs something of a request hands over its id: a store that follows a request through
 * everything that is waited for (`AsyncLocalStorage`) would cost each of them 5 to 15 % of its time on Node 20 and 22.
 * @param more what every line carries beside what is logged
 */
export function createLogger(level: string, output: LogOutput, more?: LineContext): Logger {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(more && { mixin: () => ({ ...more() }) }),
    },
    output,
  );
  output.onGap(({ since, lines }) =>
    logger.warn({ dropped: lines, since }, 'Lines of the log were dropped: they were not read fast enough'),
  );
  return logger;
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
