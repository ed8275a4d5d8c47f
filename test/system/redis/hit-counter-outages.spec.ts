import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../../support/processes.js';
import { DatabaseProxy } from '../faults/support/database-proxy.js';
import { countTogether, numbersTo, TestCounters, timedHit, type TimedHit } from './test-counters.js';

describe('the hit counter with Redis', () => {
  let counters: TestCounters;

  beforeEach(async () => {
    counters = await TestCounters.onRedis();
  });
  afterEach(() => counters.remove());

  const recovery = () => eventually('the outage is over', () => counters.levels.includes('info'));

  describe('when Redis is killed', () => {
    it('counts every hit at once, warns once, and shares counts again after the restart', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      await countTogether(counter, other);
      await counters.redis.kill();
      const hits: TimedHit[] = [];
      for (let hit = 1; hit <= 50; hit += 1) hits.push(await timedHit(counter));
      expect(hits.map((hit) => hit.hits)).toEqual(numbersTo(50));
      expect(medianOf(hits)).toBeLessThan(5);
      await eventually('both have warned', () => counters.levels.length === 2);
      expect(counters.levels).toEqual(['warn', 'warn']);

      await counters.redis.startAgain();
      await countTogether(counter, other);
      await eventually('both have recovered', () => counters.levels.length === 4);
      expect(counters.levels.slice(2)).toEqual(['info', 'info']);
    });

    it('counts hits that were in flight when it died', async () => {
      const counter = await counters.start();
      counters.redis.pause();
      const asked = numbersTo(100).map(() => counter.hit('teams', 'key', 60));
      await counters.redis.kill();
      expect((await Promise.all(asked)).map(({ hits }) => hits).sort((a, b) => a - b)).toEqual(numbersTo(100));
      expect(counters.levels).toEqual(['warn']);
    });
  });

  describe('when Redis hangs', () => {
    it('delays only the hits in flight, warns once, and shares counts again when Redis resumes', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      counters.redis.pause();
      const hits: TimedHit[] = [];
      for (let hit = 1; hit <= 100; hit += 1) hits.push(await timedHit(counter));
      expect(hits.map((hit) => hit.hits)).toEqual(numbersTo(100));
      expect(medianOf(hits)).toBeLessThan(5);
      await eventually('the warning', () => counters.levels.length > 0);
      expect(counters.lines).toMatchObject([{ details: { reason: expect.stringContaining('timeout') as string } }]);

      counters.redis.resume();
      await countTogether(counter, other);
      await recovery();
      expect(counters.levels).toEqual(['warn', 'info']);
    });

    it('for 0.3 s, as on a busy machine, delays one hit, is no outage, and shares counts at once afterwards', async () => {
      const [counter, other] = [await counters.start(), await counters.start()];
      for (let pause = 1; pause <= 5; pause += 1) {
        counters.redis.pause();
        const hits: TimedHit[] = [];
        for (const end = performance.now() + 300; performance.now() < end;) {
          hits.push(await timedHit(counter));
          await wait(10);
        }
        expect(medianOf(hits)).toBeLessThan(5);
        counters.redis.resume();
        await countTogether(counter, other);
      }
      expect(counters.lines).toEqual([]);
    });

    it('reconnects if the network has silently lost the connection', async () => {
      const network = await DatabaseProxy.to(counters.redis.port);
      counters.removeAtTheEnd(network);
      const url = `redis://127.0.0.1:${network.port}`;
      const [counter, other] = [await counters.start(url), await counters.start()];
      network.swallow();
      await counter.hit('teams', 'key', 60);
      network.heal();
      await eventually('the warning', () => counters.levels.length > 0);
      await countTogether(counter, other);
    });

    it('stops at once', async () => {
      const counter = await counters.start();
      counters.redis.pause();
      const asked = counter.hit('teams', 'key', 60);
      counter.onApplicationShutdown();
      expect((await asked).hits).toBe(1);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(2);
      expect(counters.lines).toEqual([]);
    });
  });

  it('warns once if Redis rejects commands, and recovers when it accepts them', async () => {
    const [counter, other] = [await counters.start(), await counters.start()];
    await counters.withClient((client) => client.config('SET', 'maxmemory', '1'));
    expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
    await eventually('the warning', () => counters.levels.length > 0);
    await wait(1_500);
    expect((await counter.hit('teams', 'key', 60)).hits).toBe(2);
    expect(counters.lines.map(({ details }) => details)).toEqual([{ reason: 'OOM' }]);
    await counters.withClient((client) => client.config('SET', 'maxmemory', '0'));
    await countTogether(counter, other);
  });

  describe('when Redis is down at the start', () => {
    it('starts, warns once with the reason, and shares counts when Redis is available', async () => {
      await counters.redis.kill();
      const [counter, other] = [await counters.start(), await counters.start()];
      await eventually('both have warned', () => counters.levels.length === 2);
      expect(counters.lines.map(({ details }) => details)).toEqual([
        { reason: 'ECONNREFUSED' },
        { reason: 'ECONNREFUSED' },
      ]);
      await counters.redis.startAgain();
      await countTogether(counter, other);
    });

    it('is delayed by a hanging Redis for at most about a second', async () => {
      counters.redis.pause();
      const start = performance.now();
      const counter = await counters.start();
      expect(performance.now() - start).toBeLessThan(3_000);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      await eventually('the warning', () => counters.levels.length > 0);
      expect(counters.levels).toEqual(['warn']);
    });
  });
});

function medianOf(hits: readonly TimedHit[]): number {
  const times = hits.map(({ milliseconds }) => milliseconds);
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
