import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RequestCounter } from '../../src/rate-limit/request-counter.js';
import { RedisProcess } from './redis-process.js';

/** What a counter told its log. */
interface Line {
  readonly level: 'warn' | 'info';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** How long a hit takes, in milliseconds, and how many hits it counted. */
export interface TimedHit {
  readonly hits: number;
  readonly milliseconds: number;
}

/** Counters, the Redis on which they count, and all that they told. */
export class TestCounters {
  readonly lines: Line[] = [];
  private readonly counters: RequestCounter[] = [];

  private constructor(
    readonly redis: RedisProcess,
    private readonly running: { remove(): Promise<void> }[],
  ) {}

  /** Starts a Redis, and no counter yet. */
  static async onRedis(): Promise<TestCounters> {
    const redis = await RedisProcess.start();
    return new TestCounters(redis, [redis]);
  }

  /** Starts another Redis. */
  async aRedis(password?: string): Promise<RedisProcess> {
    const started = await RedisProcess.start(password);
    this.removeAtTheEnd(started);
    return started;
  }

  removeAtTheEnd(started: { remove(): Promise<void> }): void {
    this.running.push(started);
  }

  /** Starts a counter, as the server does. */
  async start(redisUrl = this.redis.url): Promise<RequestCounter> {
    const counter = new RequestCounter({
      redisUrl,
      warn: (message, details) => this.lines.push({ level: 'warn', message, details }),
      info: (message, details) => this.lines.push({ level: 'info', message, details }),
    });
    this.counters.push(counter);
    await counter.onModuleInit();
    return counter;
  }

  /** The levels of what was told. */
  get levels(): string[] {
    return this.lines.map(({ level }) => level);
  }

  /** Hits until the shared count answers again, and tells whether it did within ten seconds. */
  async isSharedAgain(counter: RequestCounter): Promise<boolean> {
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      await counter.hit('probe', 'key', 60);
      if (this.levels.includes('info')) {
        return true;
      }
      await wait(50);
    }
    return false;
  }

  /** Looks into the Redis, past the counters. */
  async withClient<T>(use: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.redis.url);
    try {
      return await use(client);
    } finally {
      client.disconnect();
    }
  }

  /** Stops all that was started. */
  async remove(): Promise<void> {
    this.counters.forEach((counter) => counter.onApplicationShutdown());
    await Promise.all(this.running.map((started) => started.remove()));
  }
}

export async function timedHit(counter: RequestCounter, key = 'key', bucket = 'teams'): Promise<TimedHit> {
  const start = performance.now();
  const { hits } = await counter.hit(bucket, key, 60);
  return { hits, milliseconds: performance.now() - start };
}

/** Two counters see each other's hits only through Redis. */
export async function areCountedTogether(one: RequestCounter, other: RequestCounter): Promise<void> {
  const key = `together ${performance.now()}`;
  expect((await one.hit('teams', key, 60)).hits).toBe(1);
  expect((await other.hit('teams', key, 60)).hits).toBe(2);
  expect((await one.hit('teams', key, 60)).hits).toBe(3);
}

/** Keeps this process busy. */
export function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

export function numbersTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
