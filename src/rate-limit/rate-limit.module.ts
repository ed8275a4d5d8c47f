import { Logger, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../config/configuration.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import { RequestCounter } from './request-counter.js';

const minute = 60_000;

function createCounter({ redisUrl, production }: Configuration, metrics: Metrics): RequestCounter {
  const logger = new Logger('RateLimit');
  if (redisUrl === undefined && production) {
    logger.warn('REDIS_URL is not set: limits are counted in this process, so they are per replica');
  }
  const warn = (message: string, details: object) => {
    metrics.redisOutageBegan();
    logger.warn(message, details);
  };
  const info = (message: string, details: object) => logger.log(message, details);
  const counter = new RequestCounter({ redisUrl, warn, info });
  metrics.registerGauges({
    ffapi_redis_configured: () => redisUrl !== undefined,
    ffapi_redis_answering: async () => (await counter.redisState()) === 'answering',
  });
  return counter;
}

/** The counter alone, for whoever counts something. */
@Module({
  providers: [{ provide: RequestCounter, inject: [Configuration, Metrics], useFactory: createCounter }],
  exports: [RequestCounter],
})
export class RequestCounterModule {}

/** What the rate limit guard needs. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      imports: [RequestCounterModule],
      inject: [Configuration, RequestCounter],
      useFactory: ({ rateLimitPerMinute }: Configuration, counter: RequestCounter) => ({
        throttlers: [{ ttl: minute, limit: rateLimitPerMinute }],
        storage: new RateLimitStorage(counter),
      }),
    }),
    RequestCounterModule,
  ],
  exports: [RequestCounterModule],
})
export class RateLimitModule {}
