import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { secondsLeft } from './counted-window.js';
import { RequestCounter } from './request-counter.js';

type Counted = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Lets the throttler count with the shared counter: windows begin with their first request and end as they said. */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  constructor(private readonly counter: RequestCounter) {}

  /** `ttl` in milliseconds; the answer's times in whole seconds. */
  async increment(key: string, ttl: number, limit: number): Promise<Counted> {
    const counted = await this.counter.hit('requests', key, Math.ceil(ttl / 1000));
    const seconds = secondsLeft(counted);
    const isBlocked = counted.hits > limit;
    return { totalHits: counted.hits, timeToExpire: seconds, isBlocked, timeToBlockExpire: seconds };
  }
}
