import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from '../http/api-request.js';
import { addressGroup, clientAddress } from '../http/client-address.js';
import { Metrics } from '../observability/metrics.js';
import { Configuration } from '../config/configuration.js';
import type { RedisConnection } from './redis-connection.js';

const logger = new Logger('RateLimit');
/** The period in which failed authentications are counted. */
const failureWindowSeconds = 60;

/**
 * Counts hits in fixed windows that start with the first hit. Servers that share Redis count together; without Redis,
 * and while Redis is unavailable, hits are counted in this process.
 */
@Injectable()
export class HitCounter implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly memory = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: '' });
  private redis: RedisConnection | undefined;
  private shared: RateLimiterRedis | undefined;
  private opened: Promise<void> | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {
    metrics.registerGauges({
      ffapi_redis_configured: () => configuration.redisUrl !== undefined,
      ffapi_redis_up: async () => (await this.redisState()) === 'up',
    });
  }

  /** Nest calls it twice, because the throttler provides this counter as its storage. */
  onModuleInit(): Promise<void> {
    return (this.opened ??= this.open());
  }

  private async open(): Promise<void> {
    const { redisUrl, production } = this.configuration;
    if (redisUrl === undefined) {
      if (production) logger.warn('REDIS_URL is not set: rate limits apply per server');
      return;
    }
    // ioredis takes 2 MB, so it is only loaded if it is used.
    this.redis = new (await import('./redis-connection.js')).RedisConnection(redisUrl, this.metrics);
    const options = { points: 1, duration: 60, keyPrefix: 'ffapi:hits', rejectIfRedisNotReady: true };
    this.shared = new RateLimiterRedis({ ...options, storeClient: this.redis.client });
    await this.redis.open();
  }

  onApplicationShutdown(): void {
    this.redis?.close();
  }

  /**
   * Counts a hit.
   * @param bucket kind of hit, such as `login`
   * @param key the counted ID or network
   * @param seconds length of the window; different lengths are counted separately
   * @returns the hits in the window, including this one, and the seconds (at least 1) until the next hit starts a new one
   */
  async hit(bucket: string, key: string, seconds: number) {
    const id = idOf(bucket, key, seconds);
    const counted = await this.count((limiter) => limiter.penalty(id, 1, { customDuration: seconds }));
    // Redis deletes a key in the millisecond after it expires.
    const secondsLeft = Math.min(seconds, Math.ceil((counted.msBeforeNext + 1) / 1_000));
    return { hits: counted.consumedPoints, secondsLeft };
  }

  /** Removes a hit that was counted with the same arguments. */
  async refund(bucket: string, key: string, seconds: number): Promise<void> {
    const id = idOf(bucket, key, seconds);
    const { consumedPoints } = await this.count((limiter) => limiter.reward(id, 1, { customDuration: seconds }));
    // Otherwise each rejected login with another email would take 500 bytes until the window ends.
    if (consumedPoints <= 0) await this.count((limiter) => limiter.delete(id));
  }

  /**
   * Counts a rejected credential per client address (IPv6: per /64), and throws its error, or 42902 if the address had too many.
   * Valid credentials from there keep working. Errors that do not reject a credential, such as 503, are thrown only.
   */
  async countFailure(request: ApiRequest, failure: unknown): Promise<never> {
    if (!(failure instanceof ServiceError) || ![401, 403, 404].includes(failure.status)) throw failure;
    const address = addressGroup(clientAddress(request));
    const { hits, secondsLeft } = await this.hit('authentication', address, failureWindowSeconds);
    const beyond = hits - this.configuration.authFailuresPerMinute;
    if (beyond <= 0) throw failure;
    this.metrics.countRateLimited('authentications');
    // Logged once per minute, as a line per request would flood the log.
    if (beyond === 1) {
      const message = 'Too many failed authentications from an address; responding 429';
      logger.warn(message, { requestId: request.requestId, address });
    }
    throw new ServiceError('authenticationLimited', { retryAfterSeconds: secondsLeft });
  }

  /** Only counts; callers compare the count with their own limits. */
  private count<T>(action: (limiter: RateLimiterMemory | RateLimiterRedis) => Promise<T>): Promise<T> {
    const { redis, shared, memory } = this;
    return redis && shared
      ? redis.run(
          () => action(shared),
          () => action(memory),
        )
      : action(memory);
  }

  /** Counts a request for `@nestjs/throttler`. Blocked requests do not extend the window. */
  async increment(key: string, ttl: number, limit: number): ReturnType<ThrottlerStorage['increment']> {
    const { hits, secondsLeft } = await this.hit('requests', key, Math.ceil(ttl / 1_000));
    return { totalHits: hits, timeToExpire: secondsLeft, isBlocked: hits > limit, timeToBlockExpire: secondsLeft };
  }

  /** Pings Redis, which takes at most 30 ms; `none` if it is not configured. */
  async redisState(): Promise<'none' | 'up' | 'down'> {
    if (this.redis === undefined) return 'none';
    return (await this.redis.isUp()) ? 'up' : 'down';
  }
}

function idOf(bucket: string, key: string, seconds: number): string {
  return `${bucket}:${seconds}:${key}`;
}
