import { Global, Injectable, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../common/config/configuration.js';
import { RedisConnection } from './redis-connection.js';

const logger = new Logger('RateLimit');

/** A window after a hit. */
export interface CountedHits {
  /** Hits in this window, including the new one. */
  readonly hits: number;
  /** Whole seconds, at least 1, after which the next hit starts a new window. */
  readonly secondsLeft: number;
}

type Throttled = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counts hits in windows that start with their first hit. Replicas that share Redis count together; without Redis, and
 * while it does not answer, hits are counted in this process.
 */
@Injectable()
export class HitCounter implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly memory = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: '' });
  private readonly redis: RedisConnection | undefined;
  /** Counts only (`penalty`, `reward`): callers compare the count with their own limits. */
  private readonly limiter: RateLimiterMemory | RateLimiterRedis;

  constructor({ redisUrl, production }: Configuration, metrics: Metrics) {
    metrics.registerGauges({
      ffapi_redis_configured: () => redisUrl !== undefined,
      ffapi_redis_answering: async () => (await this.redisState()) === 'answering',
    });
    if (redisUrl === undefined) {
      this.limiter = this.memory;
      if (production) logger.warn('REDIS_URL is not set: limits are counted in this process, so they are per replica');
      return;
    }
    this.redis = new RedisConnection(redisUrl, metrics);
    this.limiter = new RateLimiterRedis({
      storeClient: this.redis.client,
      insuranceLimiter: this.memory,
      rejectIfRedisNotReady: true,
      keyPrefix: 'ffapi:hits',
      points: 1,
      duration: 60,
    });
  }

  async onModuleInit(): Promise<void> {
    await this.redis?.open();
  }

  onApplicationShutdown(): void {
    this.redis?.close();
  }

  /**
   * Adds a hit.
   * @param bucket what is counted, such as `login`
   * @param key who is counted, such as an ID or a network
   * @param seconds length of the window; windows of different lengths are counted apart
   */
  async hit(bucket: string, key: string, seconds: number): Promise<CountedHits> {
    const result = this.limiter.penalty(`${bucket}:${seconds}:${key}`, 1, { customDuration: seconds });
    const counted = await (this.redis?.answered(result) ?? result);
    // Redis deletes a key in the millisecond after its end.
    const secondsLeft = Math.min(seconds, Math.ceil((counted.msBeforeNext + 1) / 1_000));
    return { hits: counted.consumedPoints, secondsLeft };
  }

  /** Takes back a hit with the same arguments. */
  async refund(bucket: string, key: string, seconds: number): Promise<void> {
    const result = this.limiter.reward(`${bucket}:${seconds}:${key}`, 1, { customDuration: seconds });
    await (this.redis?.answered(result) ?? result);
  }

  /** Counts a request for the throttler. A blocked request does not prolong its window. */
  async increment(key: string, ttl: number, limit: number): Promise<Throttled> {
    const { hits, secondsLeft } = await this.hit('requests', key, Math.ceil(ttl / 1_000));
    return { totalHits: hits, timeToExpire: secondsLeft, isBlocked: hits > limit, timeToBlockExpire: secondsLeft };
  }

  /** Returns whether Redis answers within 30 ms; `none` if it is not configured. */
  async redisState(): Promise<'none' | 'answering' | 'away'> {
    if (this.redis === undefined) return 'none';
    return (await this.redis.isAnswering()) ? 'answering' : 'away';
  }
}

/** Provides the counter of requests, failed authentications and failed logins; the throttler uses it as its storage. */
@Global()
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [Configuration, HitCounter],
      useFactory: ({ rateLimitPerMinute }: Configuration, storage: HitCounter) => ({
        throttlers: [{ ttl: 60_000, limit: rateLimitPerMinute }],
        storage,
      }),
    }),
  ],
  providers: [HitCounter],
  exports: [HitCounter],
})
export class RateLimitModule {}
