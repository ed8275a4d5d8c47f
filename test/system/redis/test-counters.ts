import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Metrics } from '../../../src/observability/metrics.js';
import { parseConfiguration } from '../../../src/config/configuration.js';
import { HitCounter } from '../../../src/rate-limit/hit-counter.js';
import { RedisProcess } from './redis-process.js';

interface Line {
  readonly level: 'warn' | 'info';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A hit and its duration in milliseconds. */
export type TimedHit = Awaited<ReturnType<HitCounter['hit']>> & { readonly milliseconds: number };

/** Hit counters, their Redis and their log lines. */
export class TestCounters {
  readonly lines: Line[] = [];
  private readonly counters: HitCounter[] = [];

  private constructor(
    readonly redis: RedisProcess,
    private readonly running: { remove(): Promise<void> }[],
  ) {
    const write = (level: Line['level']) => (message: string, details: Line['details']) =>
      void this.lines.push({ level, message, details });
    Logger.overrideLogger({ warn: write('warn'), log: write('info'), error: write('warn') });
  }

  /** Starts Redis without a counter. */
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

  /** Starts a counter like the server does. */
  async start(redisUrl = this.redis.url): Promise<HitCounter> {
    const counter = new HitCounter(parseConfiguration({ REDIS_URL: redisUrl }), new Metrics());
    this.counters.push(counter);
    await counter.onModuleInit();
    return counter;
  }

  /** Returns the levels of the log lines. */
  get levels(): string[] {
    return this.lines.map(({ level }) => level);
  }

  /** Connects to Redis without a counter. */
  async withClient<T>(use: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.redis.url);
    try {
      return await use(client);
    } finally {
      client.disconnect();
    }
  }

  /** Stops Redis and all counters. */
  async remove(): Promise<void> {
    this.counters.forEach((counter) => counter.onApplicationShutdown());
    await Promise.all(this.running.map((started) => started.remove()));
  }
}

export async function timedHit(counter: HitCounter, key = 'key', bucket = 'teams'): Promise<TimedHit> {
  const start = performance.now();
  const counted = await counter.hit(bucket, key, 60);
  return { ...counted, milliseconds: performance.now() - start };
}

/** Waits until two counters share their counts, which they do only through Redis. */
export async function countTogether(one: HitCounter, other: HitCounter): Promise<void> {
  const end = performance.now() + 10_000;
  while (performance.now() < end) {
    const key = `together ${performance.now()}`;
    const hits = [];
    for (const counter of [one, other, one]) hits.push((await counter.hit('teams', key, 60)).hits);
    if (hits.join() === '1,2,3') return;
    await wait(50);
  }
  throw new Error('The counters do not count together');
}

/** Blocks the event loop. */
export function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

export function numbersTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
