import { setTimeout as wait } from 'node:timers/promises';
import type { CountedWindow } from '../../src/rate-limit/counted-window.js';
import type { RequestCounter } from '../../src/rate-limit/request-counter.js';
import { block, numbersTo, TestCounters } from './test-counters.js';

describe('RequestCounter with Redis', () => {
  let counters: TestCounters;

  beforeEach(async () => {
    counters = await TestCounters.onRedis();
  });
  afterEach(() => counters.remove());

  it('counts 300 hits at once over two clients, each with its own number', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    const windows = await Promise.all(
      numbersTo(300).map((number) => (number % 2 ? one : other).hit('teams', 'key', 60)),
    );
    expect(windows.map(({ hits }) => hits).sort((a, b) => a - b)).toEqual(numbersTo(300));
    expect(counters.lines).toEqual([]);
  });

  it('begins a window with its first hit, does not prolong it by later ones, and opens the next one after it', async () => {
    const counter = await counters.start();
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
    const counter = await counters.start();
    for (let window = 1; window <= 4; window += 1) {
      const { hits, millisecondsLeft } = await counter.hit('teams', 'key', 1);
      expect(hits).toBe(1);
      // Not a timer: it may be late, and so hide an answer that is a millisecond short.
      block(millisecondsLeft);
    }
    expect(counters.lines).toEqual([]);
  });

  it('takes a hit back without moving the end of the window, and never below zero', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    await one.hit('login', 'address', 900);
    await one.hit('login', 'address', 900);
    await wait(600);
    await other.refund('login', 'address', 900);
    const { hits, millisecondsLeft } = await one.hit('login', 'address', 900);
    expect(hits).toBe(2);
    expect(millisecondsLeft).toBeLessThan(899_500);
    await Promise.all(numbersTo(20).map((number) => (number % 2 ? one : other).refund('login', 'address', 900)));
    expect(await counters.withClient((client) => client.keys('*'))).toEqual([]);
    expectFresh(await one.hit('login', 'address', 900), 900_000);
  });

  it('counts exactly when hits are taken back at the same time', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
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
    const counter = await counters.start();
    await counter.hit('teams', 'key', 60);
    await counter.hit('login', 'address', 900);
    await counter.hit('login', 'address', 900);
    await counter.refund('login', 'address', 900);
    await counters.withClient(async (client) => {
      const keys = await client.keys('*');
      expect(keys.sort()).toEqual(['ffapi:hits:login:900:address', 'ffapi:hits:teams:60:key']);
      for (const key of keys) {
        expect(await client.pttl(key)).toBeGreaterThan(0);
      }
    });
  });

  it('gives an end to a window that somebody made endless', async () => {
    const counter = await counters.start();
    await counter.hit('teams', 'key', 60);
    await counters.withClient((client) => client.persist('ffapi:hits:teams:60:key'));
    const { hits, millisecondsLeft } = await counter.hit('teams', 'key', 60);
    expect(hits).toBe(2);
    expect(millisecondsLeft).toBeGreaterThan(59_000);
    expect(await counters.withClient((client) => client.pttl('ffapi:hits:teams:60:key'))).toBeGreaterThan(0);
  });

  it('gives 300 hits at once around the turn of a window each its own number in its window', async () => {
    // On a machine so busy that Redis answers late, hits are counted in the process: that round shows nothing.
    for (let round = 0; round < 5; round++) {
      counters.lines.length = 0;
      const windows = await aroundTheTurn(`key ${round}`);
      if (counters.lines.length > 0) continue;
      expect(windows.length).toBeGreaterThan(1);
      for (const hits of windows) expect(hits.sort((a, b) => a - b)).toEqual(numbersTo(hits.length));
      return;
    }
    throw new Error('Redis answered late in every round: nothing was shown');
  });

  /** Hits of three counters, from right before the end of a window on: the numbers of each window. */
  async function aroundTheTurn(key: string): Promise<number[][]> {
    const three = [await counters.start(), await counters.start(), await counters.start()] as const;
    const windows = new Map<number, number[]>();
    let firstEnd: number | undefined;
    const hit = async (counter: RequestCounter) => {
      const { hits, millisecondsLeft } = await counter.hit('teams', key, 1);
      const end = performance.now() + millisecondsLeft;
      firstEnd ??= end;
      const window = Math.round((end - firstEnd) / 1_000);
      windows.set(window, [...(windows.get(window) ?? []), hits]);
      return millisecondsLeft;
    };
    block((await hit(three[0])) - 10);
    // In small groups, so that the turn falls among them.
    for (let group = 0; group < 100; group++) await Promise.all(three.map(hit));
    return [...windows.values()];
  }

  it('gives an end to a window that would last longer than it can, since the clock of Redis was put back', async () => {
    const counter = await counters.start();
    await counter.hit('teams', 'key', 60);
    await counters.withClient((client) => client.pexpire('ffapi:hits:teams:60:key', 3_600_000));
    const { hits, millisecondsLeft } = await counter.hit('teams', 'key', 60);
    expect(hits).toBe(2);
    expect(millisecondsLeft).toBeLessThanOrEqual(60_000);
    expect((await counter.hit('teams', 'key', 60)).millisecondsLeft).toBeLessThanOrEqual(60_000);
  });

  it('does not take for an outage what it was busy with right before it asked', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    await wait(1);
    block(300);
    const asked = await Promise.all(numbersTo(50).map(() => one.hit('teams', 'key', 60)));
    expect(asked.map(({ hits }) => hits)).toEqual(numbersTo(50));
    expect((await other.hit('teams', 'key', 60)).hits).toBe(51);
    expect(counters.lines).toEqual([]);
  });

  it('does not take its own business for an outage', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    const asked = numbersTo(50).map(() => one.hit('teams', 'key', 60));
    block(300);
    expect((await Promise.all(asked)).map(({ hits }) => hits)).toEqual(numbersTo(50));
    expect((await other.hit('teams', 'key', 60)).hits).toBe(51);
    expect(counters.lines).toEqual([]);
  });
});

/** A new window; Redis may need a millisecond of it to answer. */
function expectFresh(window: CountedWindow, milliseconds: number): void {
  expect(window.hits).toBe(1);
  expect(window.millisecondsLeft).toBeLessThanOrEqual(milliseconds);
  expect(window.millisecondsLeft).toBeGreaterThan(milliseconds - 100);
}
