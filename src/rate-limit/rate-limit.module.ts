import { Logger, Module } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../config/configuration.js';
import { RequestCounter } from './request-counter.js';

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
  metrics.read({ redis: () => counter.redisState() });
  return counter;
}

/** The counter, for whoever counts something: the rate limit guard, failed authentications, logins, refused acts. */
@Module({
  providers: [{ provide: RequestCounter, inject: [Configuration, Metrics], useFactory: createCounter }],
  exports: [RequestCounter],
})
export class RequestCounterModule {}
