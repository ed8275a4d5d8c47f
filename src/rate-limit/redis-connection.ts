import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Metrics } from '../common/metrics/metrics.js';

/** Response timeout in milliseconds. The connection is then dropped, so that no request waits longer than 50 ms. */
const timeoutMilliseconds = 30;
/** Timeout for closing a hanging connection. */
const disconnectMilliseconds = 5;
/** Delay before each attempt to reconnect. */
const retryMilliseconds = 1_000;
/** How long the start waits for the connection, so that replicas count their first requests in Redis. */
const startMilliseconds = 1_000;

/** A Redis connection that delays no request: if it hangs, commands fail at once until it is reopened after 1 s. */
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
      // A late count is worthless, so commands neither wait for a connection nor are retried.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      // Timeout for responses while connecting.
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

  /** Returns true if Redis responds within 30 ms. */
  async isUp(): Promise<boolean> {
    if (this.client.status !== 'ready') return false;
    return this.withTimeout(this.client.ping()).then(
      () => true,
      () => false,
    );
  }

  /**
   * Returns the result of a command. Drops the connection after 30 ms without one, which fails all pending commands.
   * Time during which this process was busy does not count: a timer set late in a long event-loop turn fires early, so
   * the clock is read again, and `setImmediate` first reads responses that have already arrived.
   */
  async withTimeout<T>(result: Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMilliseconds;
    let settled = false;
    const check = (): void => {
      const left = deadline - performance.now();
      if (left > 0) timer = setTimeout(check, left);
      else setImmediate(() => settled || this.drop());
    };
    let timer = setTimeout(check, timeoutMilliseconds);
    try {
      return await result;
    } finally {
      settled = true;
      clearTimeout(timer);
    }
  }

  private reconnectsAfter(error: Error): boolean {
    // The client handles NOSCRIPT itself by sending the script.
    if (error.message.startsWith('NOSCRIPT')) return false;
    this.reason = reasonOf(error);
    return true;
  }

  private drop(): void {
    if (this.dropping) return;
    this.dropping = true;
    this.reason = `No response within ${timeoutMilliseconds} ms`;
    this.client.disconnect(true);
  }

  private beginOutage(): void {
    this.dropping = false;
    if (this.outageSince !== undefined) return;
    this.outageSince = performance.now();
    this.metrics.countRedisOutage();
    this.logger.warn('Redis does not respond: counting requests in this process', { reason: this.reason });
  }

  private endOutage(): void {
    if (this.outageSince === undefined || this.client.status !== 'ready') return;
    const outageMs = Math.round(performance.now() - this.outageSince);
    this.logger.log('Redis responds again: counting requests in Redis', { outageMs });
    this.outageSince = undefined;
  }
}

/** Returns a loggable reason: of an error reply the first word only, as the rest can repeat the password. */
function reasonOf(error: Error): string {
  if ('code' in error) return String(error.code);
  return error.name === 'ReplyError' ? (error.message.split(' ')[0] ?? '') : error.message;
}
