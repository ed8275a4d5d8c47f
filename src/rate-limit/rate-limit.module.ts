import { Global, Module } from '@nestjs/common';
import { HitCounter } from './hit-counter.js';

/** Provides the counter of requests, failed authentications, failed logins and deliveries of webhooks. */
@Global()
@Module({ providers: [HitCounter], exports: [HitCounter] })
export class RateLimitModule {}
