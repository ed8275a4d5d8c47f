import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Metrics } from '../common/metrics/metrics.js';

/** After this many milliseconds without an answer the connection is dropped, so that no request waits longer than 50 ms. */
const answerMilliseconds = 30;
/** Time to close a connection that hangs. */
const disconnectMilliseconds = 5;
/** Pause before each new attempt to connect. */
const retryMilliseconds = 1_000;
/** How long the start waits for the connection, so that replicas count their first requests together. */
const startMilliseconds = 1_000;

/**
 * Connection to Redis that never makes a request wait. It drops a connection that hangs and connects again after a second;
 * commands fail at once until then.
 */
export class RedisConnection {
  readonly client: Redis;
  private readonly logger = new Logger('RateLimit');
  private outageSince: number | undefined;
  private reason = 'The connection was closed';
  private dropping = false;

  /** @param url `redis://` or `rediss://` (TLS) */
  constructor(
    url: string,
    private readonly metrics: Metrics,
  ) {
    this.client = new Redis(url, {
      lazyConnect: true,
      // A count that arrives late is worthless, so commands neither wait for a connection nor are sent again.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      // Limits how long Redis may take to answer while connecting.
      socketTimeout: 1_000,
      disconnectTimeout: disconnectMilliseconds,
      retryStrategy: () => retryMilliseconds,
      // For example READONLY after a failover: a new connection reaches the new primary.
      reconnectOnError: (error) => this.reconnectsAfter(error),
    });
    this.client.on('error', (error: Error) => (this.reason = reasonOf(error)));
    this.client.on('reconnecting', () => this.beginOutage());
    // Only after a second, so that a Redis that accepts connections but no commands does not fill the log.
    this.client.on('ready', () => setTimeout(() => this.endOutage(), retryMilliseconds).unref());
  }

  /** Connects, and returns after a second at the latest; further attempts follow in the background. */
  async open(): Promise<void> {
    const connected = this.client.connect().catch(() => undefined);
    await Promise.race([connected, delay(startMilliseconds, undefined, { ref: false })]);
  }

  /** Closes the connection at once, even if Redis hangs. */
  close(): void {
    this.client.disconnect();
  }

  /** Returns true if Redis answers within 30 ms. */
  async isAnswering(): Promise<boolean> {
    if (this.client.status !== 'ready') return false;
    return this.answered(this.client.ping()).then(
      () => true,
      () => false,
    );
  }

  /**
   * Returns the result of a command. Drops the connection after 30 ms without one, which fails all pending commands.
   * Time in which this process was busy does not count: the clock is read again because timers that are set late in a long
   * turn fire early, and `setImmediate` first reads answers that have already arrived.
   */
  async answered<T>(result: Promise<T>): Promise<T> {
    const deadline = performance.now() + answerMilliseconds;
    let settled = false;
    const check = (): void => {
      const left = deadline - performance.now();
      if (left > 0) timer = setTimeout(check, left);
      else setImmediate(() => settled || this.drop());
    };
    let timer = setTimeout(check, answerMilliseconds);
    try {
      return await result;
    } finally {
      settled = true;
      clearTimeout(timer);
    }
  }

  private reconnectsAfter(error: Error): boolean {
    // The client answers NOSCRIPT itself by sending the script.
    if (error.message.startsWith('NOSCRIPT')) return false;
    this.reason = reasonOf(error);
    return true;
  }

  private drop(): void {
    if (this.dropping) return;
    this.dropping = true;
    this.reason = `No answer within ${answerMilliseconds} ms`;
    this.client.disconnect(true);
  }

  private beginOutage(): void {
    this.dropping = false;
    if (this.outageSince !== undefined) return;
    this.outageSince = performance.now();
    this.metrics.countRedisOutage();
    this.logger.warn('Redis does not answer: requests are counted in this process', { reason: this.reason });
  }

  private endOutage(): void {
    if (this.outageSince === undefined || this.client.status !== 'ready') return;
    const outageMs = Math.round(performance.now() - this.outageSince);
    this.logger.log('Redis answers again: requests are counted together', { outageMs });
    this.outageSince = undefined;
  }
}

/** Returns what may be logged of an error. Of a reply only its first word, as some servers repeat the password in the rest. */
function reasonOf(error: Error): string {
  if ('code' in error) return String(error.code);
  return error.name === 'ReplyError' ? (error.message.split(' ')[0] ?? '') : error.message;
}
