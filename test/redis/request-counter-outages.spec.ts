import { setTimeout as wait } from 'node:timers/promises';
import { Network } from './network.js';
import { areCountedTogether, numbersTo, TestCounters, timedHit, type TimedHit } from './test-counters.js';

describe('RequestCounter with Redis', () => {
  let counters: TestCounters;

  beforeEach(async () => {
    counters = await TestCounters.onRedis();
  });
  afterEach(() => counters.remove());

  describe('when Redis was killed', () => {
    it('answers every hit at once, warns once, and counts together again after the restart', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      await counters.redis.kill();
      const hits: TimedHit[] = [];
      for (let hit = 1; hit <= 50; hit += 1) {
        hits.push(await timedHit(counter));
      }
      // Counted on from what was counted together.
      expect(hits.map((hit) => hit.hits)).toEqual(numbersTo(51).slice(1));
      const times = hits.map((hit) => hit.milliseconds);
      expect(Math.max(...times)).toBeLessThan(250);
      expect(times.filter((time) => time < 60).length).toBeGreaterThanOrEqual(48);
      expect(counters.levels).toEqual(['warn']);

      await counters.redis.startAgain();
      expect(await counters.isSharedAgain(counter)).toBe(true);
      expect(counters.levels).toEqual(['warn', 'info']);
      await wait(1_000);
      expect(await counters.isSharedAgain(other)).toBe(true);
      await areCountedTogether(counter, other);
    });

    it('answers hits that were under way as it died', async () => {
      const counter = await counters.start();
      counters.redis.pause();
      const asked = numbersTo(100).map(() => counter.hit('teams', 'key', 60));
      await counters.redis.kill();
      expect((await Promise.all(asked)).map(({ hits }) => hits).sort((a, b) => a - b)).toEqual(numbersTo(100));
      expect(counters.levels).toEqual(['warn']);
    });
  });

  describe('when Redis hangs', () => {
    it('delays a few hits, then none, warns once, and counts together again when it goes on', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      await counter.hit('teams', 'key', 60);
      counters.redis.pause();
      const hits: TimedHit[] = [];
      for (let hit = 1; hit <= 100; hit += 1) {
        hits.push(await timedHit(counter));
      }
      expect(hits.map((hit) => hit.hits)).toEqual(numbersTo(101).slice(1));
      const times = hits.map((hit) => hit.milliseconds);
      expect(Math.max(...times)).toBeLessThan(250);
      expect(medianOf(times.slice(3))).toBeLessThan(5);
      expect(counters.levels).toEqual(['warn']);

      counters.redis.resume();
      expect(await counters.isSharedAgain(counter)).toBe(true);
      expect(counters.levels).toEqual(['warn', 'info']);
      await areCountedTogether(counter, other);
    });

    it('lets one hit try after a second, while the others do not wait', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      counters.redis.pause();
      await Promise.all(numbersTo(3).map(() => counter.hit('teams', 'key', 60)));
      await wait(1_100);
      const times = (await Promise.all(numbersTo(20).map(() => timedHit(counter)))).map((hit) => hit.milliseconds);
      expect(medianOf(times)).toBeLessThan(20);
      // What was asked while it hung is still counted when it goes on: the first three, and the one that tried.
      counters.redis.resume();
      await wait(300);
      expect((await other.hit('teams', 'key', 60)).hits).toBe(5);
    });

    it('counts together again after it hung for so long that the connection was given up', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      counters.redis.pause();
      for (let hit = 1; hit <= 60; hit += 1) {
        expect((await timedHit(counter)).milliseconds).toBeLessThan(250);
        await wait(100);
      }
      counters.redis.resume();
      expect(await counters.isSharedAgain(counter)).toBe(true);
      await wait(1_000);
      await areCountedTogether(counter, other);
      expect(counters.levels).toEqual(['warn', 'info']);
    });

    it('connects anew when the network has lost the connection without a word', async () => {
      const network = await Network.to(counters.redis.port);
      counters.removeAtTheEnd(network);
      const [counter, other] = [await counters.start(network.url), await counters.start()];
      network.loseConnections();
      await counter.hit('teams', 'key', 60);
      expect(counters.levels).toEqual(['warn']);
      expect(await counters.isSharedAgain(counter)).toBe(true);
      await areCountedTogether(counter, other);
    });

    it('stops at once', async () => {
      const counter = await counters.start();
      counters.redis.pause();
      const asked = counter.hit('teams', 'key', 60);
      counter.onApplicationShutdown();
      expect((await asked).hits).toBe(1);
      expect((await timedHit(counter)).milliseconds).toBeLessThan(250);
      expect(counters.lines).toEqual([]);
    });
  });

  describe('when Redis answers late once', () => {
    it('does not begin a used-up window anew', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      await Promise.all(numbersTo(150).map(() => other.hit('teams', 'key', 60)));
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(151);
      counters.redis.pause();
      const late = await counter.hit('teams', 'key', 60);
      counters.redis.resume();
      expect(late.hits).toBe(152);
      expect(late.millisecondsLeft).toBeLessThanOrEqual(60_000);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(153);
    });
  });

  describe('when Redis is not there at the start', () => {
    it('starts all the same, warns once with the reason, and counts together when it comes', async () => {
      await counters.redis.kill();
      const start = performance.now();
      const [counter, other] = [await counters.start(), await counters.start()];
      expect(performance.now() - start).toBeLessThan(3_000);
      expect(counters.lines.map(({ details }) => details)).toEqual([
        { reason: expect.stringContaining('ECONNREFUSED') as unknown },
        { reason: expect.stringContaining('ECONNREFUSED') as unknown },
      ]);
      await counters.redis.startAgain();
      expect(await counters.isSharedAgain(counter)).toBe(true);
      await wait(1_000);
      await areCountedTogether(counter, other);
    });

    it('is held up by a Redis that hangs for about a second, not longer', async () => {
      counters.redis.pause();
      const start = performance.now();
      const counter = await counters.start();
      expect(performance.now() - start).toBeLessThan(3_000);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      expect(counters.levels).toEqual(['warn']);
    });
  });
});

function medianOf(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
