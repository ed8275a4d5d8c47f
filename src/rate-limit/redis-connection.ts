import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Metrics } from '../observability/metrics.js';

/** How long a command may delay a request, in milliseconds. */
const timeoutMilliseconds = 30;
const disconnectMilliseconds = 5;
const retryMilliseconds = 1_000;
/** How long the start waits for the connection, so that servers count their first requests in Redis. */
const startMilliseconds = 1_000;

/** A Redis connection that delays no request: while a response is late, commands fail immediately. */
export class RedisConnection {
  readonly client: Redis;
  private readonly logger = new Logger('RateLimit');
  private outageSince: number | undefined;
  private reason = 'The connection was closed';
  private lateResponses = 0;

  /** @param url `redis://` or `rediss://` (TLS) */
  constructor(
    url: string,
    private readonly metrics: Metrics,
  ) {
    this.client = new Redis(url, {
      lazyConnect: true,
      // A late count is worthless, so commands neither wait for a connection nor are retried.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      // Drops a connection without responses. On a busy machine, a healthy Redis can be late by much more than 30 ms.
      socketTimeout: 1_000,
      disconnectTimeout: disconnectMilliseconds,
      retryStrategy: () => retryMilliseconds,
      // After READONLY, for example, a new connection reaches the new primary.
      reconnectOnError: (error) => this.reconnectsAfter(error),
    });
    this.client.on('error', (error: Error) => (this.reason = reasonOf(error)));
    this.client.on('reconnecting', () => this.beginOutage());
    // Delayed by 1 s, so that a Redis that accepts connections but no commands does not flood the log.
    this.client.on('ready', () => setTimeout(() => this.endOutage(), retryMilliseconds).unref());
  }

  /** Connects, waiting at most 1 s; further attempts follow in the background. */
  async open(): Promise<void> {
    const connected = this.client.connect().catch(() => undefined);
    await Promise.race([connected, delay(startMilliseconds, undefined, { ref: false })]);
  }

  /** Closes the connection immediately, even if Redis hangs. */
  close(): void {
    this.client.disconnect();
  }

  /** Returns true if Redis responds, even while a response is late, until the connection is dropped. */
  async isUp(): Promise<boolean> {
    if (this.client.status !== 'ready') return false;
    const ping = () => this.client.ping().then(() => true);
    return this.run(ping, () => Promise.resolve(this.lateResponses > 0));
  }

  /** Returns the result of a command, or of the alternative if the command fails or takes longer than 30 ms. */
  async run<T>(command: () => Promise<T>, alternative: () => Promise<T>): Promise<T> {
    if (this.lateResponses > 0) return alternative();
    const response = command();
    if (await settlesInTime(response)) return response.catch(alternative);
    if (this.lateResponses === 0) this.logger.debug('Redis responds late: this server counts on its own until it does');
    this.lateResponses += 1;
    void response.catch(() => undefined).finally(() => (this.lateResponses -= 1));
    return alternative();
  }

  private reconnectsAfter(error: Error): boolean {
    // The client handles NOSCRIPT itself by sending the script.
    if (error.message.startsWith('NOSCRIPT')) return false;
    this.reason = reasonOf(error);
    return true;
  }

  private beginOutage(): void {
    if (this.outageSince !== undefined) return;
    this.outageSince = performance.now();
    this.metrics.redisOutages.inc();
    this.logger.warn('Redis does not respond: this server counts requests on its own', { reason: this.reason });
  }

  private endOutage(): void {
    if (this.outageSince === undefined || this.client.status !== 'ready') return;
    const durationMs = Math.round(performance.now() - this.outageSince);
    this.logger.log('Redis responds again: counting requests in Redis', { durationMs });
    this.outageSince = undefined;
  }
}

/**
 * Resolves to whether a response arrives within 30 ms. Time during which this process was busy does not count: a timer set
 * late in a long event-loop turn fires early, so the clock is read again, and `setImmediate` first reads responses that
 * have already arrived.
 */
function settlesInTime(response: Promise<unknown>): Promise<boolean> {
  const deadline = performance.now() + timeoutMilliseconds;
  return new Promise((resolve) => {
    const check = (): void => {
      const left = deadline - performance.now();
      if (left > 0) timer = setTimeout(check, left);
      else setImmediate(resolve, false);
    };
    let timer = setTimeout(check, timeoutMilliseconds);
    const settle = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    response.then(settle, settle);
  });
}

/** Returns a loggable reason: of an error reply the first word only, as the rest can repeat the password. */
function reasonOf(error: Error): string {
  if ('code' in error) return String(error.code);
  return error.name === 'ReplyError' ? (error.message.split(' ')[0] ?? '') : error.message;
}
