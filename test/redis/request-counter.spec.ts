import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { CountedWindow } from '../../src/rate-limit/counted-window.js';
import { RequestCounter } from '../../src/rate-limit/request-counter.js';
import { Network } from './network.js';
import { freePort, RedisProcess } from './redis-process.js';

interface Line {
  readonly level: 'warn' | 'info';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** How long a hit takes, in milliseconds, and how many hits it counted. */
interface TimedHit {
  readonly hits: number;
  readonly milliseconds: number;
}

describe('RequestCounter with Redis', () => {
  let redis: RedisProcess;
  let counters: RequestCounter[];
  let running: { remove(): Promise<void> }[];
  let lines: Line[];

  beforeEach(async () => {
    counters = [];
    running = [];
    lines = [];
    redis = await aRedis();
  });

  afterEach(async () => {
    counters.forEach((counter) => counter.onApplicationShutdown());
    await Promise.all(running.map((started) => started.remove()));
  });

  async function aRedis(password?: string): Promise<RedisProcess> {
    const started = await RedisProcess.start(password);
    running.push(started);
    return started;
  }

  async function aCounter(redisUrl = redis.url): Promise<RequestCounter> {
    const counter = new RequestCounter({
      redisUrl,
      warn: (message, details) => lines.push({ level: 'warn', message, details }),
      info: (message, details) => lines.push({ level: 'info', message, details }),
    });
    counters.push(counter);
    await counter.onModuleInit();
    return counter;
  }

  async function timedHit(counter: RequestCounter, key = 'key', bucket = 'teams'): Promise<TimedHit> {
    const start = performance.now();
    const { hits } = await counter.hit(bucket, key, 60);
    return { hits, milliseconds: performance.now() - start };
  }

  /** Hits until the shared count answers again, and tells whether it did within ten seconds. */
  async function isSharedAgain(counter: RequestCounter): Promise<boolean> {
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      await counter.hit('probe', 'key', 60);
      if (lines.some(({ level }) => level === 'info')) {
        return true;
      }
      await wait(50);
    }
    return false;
  }

  /** Two counters see each other's hits only through Redis. */
  async function areCountedTogether(one: RequestCounter, other: RequestCounter): Promise<void> {
    const key = `together ${performance.now()}`;
    expect((await one.hit('teams', key, 60)).hits).toBe(1);
    expect((await other.hit('teams', key, 60)).hits).toBe(2);
    expect((await one.hit('teams', key, 60)).hits).toBe(3);
  }

  function levels(): string[] {
    return lines.map(({ level }) => level);
  }

  /** A new window; Redis may need a millisecond of it to answer. */
  function expectFresh(window: CountedWindow, milliseconds: number): void {
    expect(window.hits).toBe(1);
    expect(window.millisecondsLeft).toBeLessThanOrEqual(milliseconds);
    expect(window.millisecondsLeft).toBeGreaterThan(milliseconds - 100);
  }

  /** Keeps this process busy. */
  function block(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  function medianOf(times: number[]): number {
    return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
  }

  const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  async function withClient<T>(use: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(redis.url);
    try {
      return await use(client);
    } finally {
      client.disconnect();
    }
  }

  describe('while all is well', () => {
    it('counts 300 hits at once over two clients, each with its own number', async () => {
      const [one, other] = [await aCounter(), await aCounter()];
      const windows = await Promise.all(
        numbersTo(300).map((number) => (number % 2 ? one : other).hit('teams', 'key', 60)),
      );
      expect(windows.map(({ hits }) => hits).sort((a, b) => a - b)).toEqual(numbersTo(300));
      expect(lines).toEqual([]);
    });

    it('begins a window with its first hit, does not prolong it by later ones, and opens the next one after it', async () => {
      const counter = await aCounter();
      const first = await counter.hit('teams', 'key', 2);
      expectFresh(first, 2_000);
      await wait(600);
      const second = await counter.hit('teams', 'key', 2);
      expect(second.hits).toBe(2);
      expect(second.millisecondsLeft).toBeLessThan(1_500);
      expect(second.millisecondsLeft).toBeGreaterThan(0);
      await wait(Math.ceil(second.millisecondsLeft / 1_000) * 1_000);
      expectFresh(await counter.hit('teams', 'key', 2), 2_000);
    });

    it('opens the next window as soon as the milliseconds it told are over', async () => {
      const counter = await aCounter();
      for (let window = 1; window <= 4; window += 1) {
        const { hits, millisecondsLeft } = await counter.hit('teams', 'key', 1);
        expect(hits).toBe(1);
        // Not a timer: it may be late, and so hide an answer that is a millisecond short.
        block(millisecondsLeft);
      }
      expect(lines).toEqual([]);
    });

    it('takes a hit back without moving the end of the window, and never below zero', async () => {
      const [one, other] = [await aCounter(), await aCounter()];
      await one.hit('login', 'address', 900);
      await one.hit('login', 'address', 900);
      await wait(600);
      await other.refund('login', 'address', 900);
      const { hits, millisecondsLeft } = await one.hit('login', 'address', 900);
      expect(hits).toBe(2);
      expect(millisecondsLeft).toBeLessThan(899_500);
      await Promise.all(numbersTo(20).map((number) => (number % 2 ? one : other).refund('login', 'address', 900)));
      expect(await withClient((client) => client.keys('*'))).toEqual([]);
      expectFresh(await one.hit('login', 'address', 900), 900_000);
    });

    it('counts exactly when hits are taken back at the same time', async () => {
      const [one, other] = [await aCounter(), await aCounter()];
      await Promise.all(
        numbersTo(100).map(async (number) => {
          const counter = number % 2 ? one : other;
          await counter.hit('login', 'address', 900);
          if (number % 4 === 0) {
            await counter.refund('login', 'address', 900);
          }
        }),
      );
      expect((await one.hit('login', 'address', 900)).hits).toBe(76);
    });

    it('names its keys ffapi: and lets every one of them end', async () => {
      const counter = await aCounter();
      await counter.hit('teams', 'key', 60);
      await counter.hit('login', 'address', 900);
      await counter.hit('login', 'address', 900);
      await counter.refund('login', 'address', 900);
      await withClient(async (client) => {
        const keys = await client.keys('*');
        expect(keys.sort()).toEqual(['ffapi:hits:login:900:address', 'ffapi:hits:teams:60:key']);
        for (const key of keys) {
          expect(await client.pttl(key)).toBeGreaterThan(0);
        }
      });
    });

    it('gives an end to a window that somebody made endless', async () => {
      const counter = await aCounter();
      await counter.hit('teams', 'key', 60);
      await withClient((client) => client.persist('ffapi:hits:teams:60:key'));
      const { hits, millisecondsLeft } = await counter.hit('teams', 'key', 60);
      expect(hits).toBe(2);
      expect(millisecondsLeft).toBeGreaterThan(59_000);
      expect(await withClient((client) => client.pttl('ffapi:hits:teams:60:key'))).toBeGreaterThan(0);
    });

    it('does not take its own business for an outage', async () => {
      const [one, other] = [await aCounter(), await aCounter()];
      const asked = numbersTo(50).map(() => one.hit('teams', 'key', 60));
      block(300);
      expect((await Promise.all(asked)).map(({ hits }) => hits)).toEqual(numbersTo(50));
      expect((await other.hit('teams', 'key', 60)).hits).toBe(51);
      expect(lines).toEqual([]);
    });
  });

  describe('when Redis was killed', () => {
    it('answers every hit at once, warns once, and counts together again after the restart', async () => {
      const [counter, other] = [await aCounter(), await aCounter()];
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      await redis.kill();
      const hits: TimedHit[] = [];
      for (let hit = 1; hit <= 50; hit += 1) {
        hits.push(await timedHit(counter));
      }
      expect(hits.map((hit) => hit.hits)).toEqual(numbersTo(50));
      const times = hits.map((hit) => hit.milliseconds);
      expect(Math.max(...times)).toBeLessThan(250);
      expect(times.filter((time) => time < 60).length).toBeGreaterThanOrEqual(48);
      expect(levels()).toEqual(['warn']);

      await redis.startAgain();
      expect(await isSharedAgain(counter)).toBe(true);
      expect(levels()).toEqual(['warn', 'info']);
      await wait(1_000);
      expect(await isSharedAgain(other)).toBe(true);
      await areCountedTogether(counter, other);
    });

    it('answers hits that were under way as it died', async () => {
      const counter = await aCounter();
      redis.pause();
      const asked = numbersTo(100).map(() => counter.hit('teams', 'key', 60));
      await redis.kill();
      expect((await Promise.all(asked)).map(({ hits }) => hits).sort((a, b) => a - b)).toEqual(numbersTo(100));
      expect(levels()).toEqual(['warn']);
    });
  });

  describe('when Redis hangs', () => {
    it('delays a few hits, then none, warns once, and counts together again when it goes on', async () => {
      const [counter, other] = [await aCounter(), await aCounter()];
      await counter.hit('teams', 'key', 60);
      redis.pause();
      const hits: TimedHit[] = [];
      for (let hit = 1; hit <= 100; hit += 1) {
        hits.push(await timedHit(counter));
      }
      expect(hits.map((hit) => hit.hits)).toEqual(numbersTo(100));
      const times = hits.map((hit) => hit.milliseconds);
      expect(Math.max(...times)).toBeLessThan(250);
      expect(medianOf(times.slice(3))).toBeLessThan(5);
      expect(levels()).toEqual(['warn']);

      redis.resume();
      expect(await isSharedAgain(counter)).toBe(true);
      expect(levels()).toEqual(['warn', 'info']);
      await areCountedTogether(counter, other);
    });

    it('lets one hit try after a second, while the others do not wait', async () => {
      const [counter, other] = [await aCounter(), await aCounter()];
      redis.pause();
      await Promise.all(numbersTo(3).map(() => counter.hit('teams', 'key', 60)));
      await wait(1_100);
      const times = (await Promise.all(numbersTo(20).map(() => timedHit(counter)))).map((hit) => hit.milliseconds);
      expect(medianOf(times)).toBeLessThan(20);
      // What was asked while it hung is still counted when it goes on: the first three, and the one that tried.
      redis.resume();
      await wait(300);
      expect((await other.hit('teams', 'key', 60)).hits).toBe(5);
    });

    it('counts together again after it hung for so long that the connection was given up', async () => {
      const [counter, other] = [await aCounter(), await aCounter()];
      redis.pause();
      for (let hit = 1; hit <= 60; hit += 1) {
        expect((await timedHit(counter)).milliseconds).toBeLessThan(250);
        await wait(100);
      }
      redis.resume();
      expect(await isSharedAgain(counter)).toBe(true);
      await wait(1_000);
      await areCountedTogether(counter, other);
      expect(levels()).toEqual(['warn', 'info']);
    });

    it('connects anew when the network has lost the connection without a word', async () => {
      const network = await Network.to(redis.port);
      running.push(network);
      const [counter, other] = [await aCounter(network.url), await aCounter()];
      network.loseConnections();
      await counter.hit('teams', 'key', 60);
      expect(levels()).toEqual(['warn']);
      expect(await isSharedAgain(counter)).toBe(true);
      await areCountedTogether(counter, other);
    });

    it('stops at once', async () => {
      const counter = await aCounter();
      redis.pause();
      const asked = counter.hit('teams', 'key', 60);
      counter.onApplicationShutdown();
      expect((await asked).hits).toBe(1);
      expect((await timedHit(counter)).milliseconds).toBeLessThan(250);
      expect(lines).toEqual([]);
    });
  });

  describe('when Redis is not there at the start', () => {
    it('starts all the same, warns once with the reason, and counts together when it comes', async () => {
      await redis.kill();
      const start = performance.now();
      const [counter, other] = [await aCounter(), await aCounter()];
      expect(performance.now() - start).toBeLessThan(3_000);
      expect(lines.map(({ details }) => details)).toEqual([
        { reason: expect.stringContaining('ECONNREFUSED') as unknown },
        { reason: expect.stringContaining('ECONNREFUSED') as unknown },
      ]);
      await redis.startAgain();
      expect(await isSharedAgain(counter)).toBe(true);
      await wait(1_000);
      await areCountedTogether(counter, other);
    });

    it('is held up by a Redis that hangs for about a second, not longer', async () => {
      redis.pause();
      const start = performance.now();
      const counter = await aCounter();
      expect(performance.now() - start).toBeLessThan(3_000);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      expect(levels()).toEqual(['warn']);
    });
  });

  describe('with a password', () => {
    const password = 'p@ss/w:rd %#secret';
    let guarded: RedisProcess;

    beforeEach(async () => {
      guarded = await aRedis(password);
    });

    it('counts together', async () => {
      await areCountedTogether(await aCounter(guarded.url), await aCounter(guarded.url));
      expect(lines).toEqual([]);
    });

    it.each([
      ['is wrong', (port: number) => `redis://:wrong-secret@127.0.0.1:${port}`],
      ['is right and Redis speaks no TLS', (port: number) => `rediss://:wrong-secret@127.0.0.1:${port}`],
    ])('warns once and counts in the process when the password %s, without telling it', async (_, urlOf) => {
      const written: unknown[] = [];
      const spies = (['log', 'warn', 'error'] as const).map((name) =>
        jest.spyOn(console, name).mockImplementation((...values: unknown[]) => written.push(...values)),
      );
      const counter = await aCounter(urlOf(guarded.port));
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      await wait(1_500);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(2);
      spies.forEach((spy) => spy.mockRestore());
      expect(levels()).toEqual(['warn']);
      expect(JSON.stringify([lines, written.map(String)])).not.toContain('secret');
    });
  });

  it('tells no password that a server repeats in its refusal', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      // Redis before 6, and some proxies, repeat the arguments of a command they do not know.
      socket.on('data', (data) => {
        for (const command of data
          .toString()
          .split(/^\*\d+\r\n/m)
          .slice(1)) {
          socket.write(`-ERR unknown command, with args: ${command.replace(/\s+/g, ' ')}\r\n`);
        }
      });
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await aCounter(`redis://:top-secret@127.0.0.1:${port}`);
    server.close();
    expect(lines.map(({ details }) => details)).toEqual([
      { reason: expect.stringMatching(/with args: .*\*\*\*/) as unknown },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});
