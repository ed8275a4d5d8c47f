import { setTimeout as wait } from 'node:timers/promises';
import { block, numbersTo, TestCounters } from './test-counters.js';

// On a busy machine Redis can be later than the 30 ms after which a server counts on its own.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

describe('the hit counter with Redis', () => {
  let counters: TestCounters;

  beforeEach(async () => {
    counters = await TestCounters.onRedis();
  });
  afterEach(() => counters.remove());

  it('counts 300 concurrent hits over two clients, each with a unique number', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    const counted = await Promise.all(
      numbersTo(300).map((number) => (number % 2 ? one : other).hit('teams', 'key', 60)),
    );
    expect(counted.map(({ hits }) => hits).sort((a, b) => a - b)).toEqual(numbersTo(300));
    expect(counters.lines).toEqual([]);
  });

  it('starts a window with its first hit, which later hits do not prolong', async () => {
    const counter = await counters.start();
    expect(await counter.hit('teams', 'key', 3)).toEqual({ hits: 1, secondsLeft: 3 });
    await wait(1_200);
    const second = await counter.hit('teams', 'key', 3);
    expect(second).toEqual({ hits: 2, secondsLeft: 2 });
    const left = await counters.withClient((client) => client.pttl('ffapi:hits:teams:3:key'));
    expect(left).toBeLessThan(1_800);
    // Not a timer, which can be late and hide a window that is a millisecond too long.
    block(second.secondsLeft * 1_000);
    expect(await counter.hit('teams', 'key', 3)).toEqual({ hits: 1, secondsLeft: 3 });
  });

  it('refunds a hit without moving the end of the window', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    await one.hit('login', 'address', 900);
    await one.hit('login', 'address', 900);
    await wait(1_100);
    await other.refund('login', 'address', 900);
    expect(await one.hit('login', 'address', 900)).toEqual({ hits: 2, secondsLeft: 899 });
  });

  it('prefixes its keys with ffapi: and lets all of them expire', async () => {
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

  it('does not treat a busy process as an outage', async () => {
    const [one, other] = [await counters.start(), await counters.start()];
    await wait(1);
    block(300);
    const asked = numbersTo(50).map(() => one.hit('teams', 'key', 60));
    block(300);
    expect((await Promise.all(asked)).map(({ hits }) => hits)).toEqual(numbersTo(50));
    expect((await other.hit('teams', 'key', 60)).hits).toBe(51);
    expect(counters.lines).toEqual([]);
  });
});
