import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Configuration } from '../config/configuration.js';
import { HitCounter } from './hit-counter.js';

/** Provides the counter of requests and failures of all kinds. The throttler uses it, too. */
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
