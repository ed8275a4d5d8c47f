import fc from 'fast-check';
import { ConcurrencyLimiter, type ConcurrencyLimits, Slot } from './concurrency-limiter.js';

/** Creates a limiter whose deferred work the test runs, and records the outcome of each request. */
function aLimiter(limits: Partial<ConcurrencyLimits> = {}) {
  const deferred: (() => void)[] = [];
  const limiter = new ConcurrencyLimiter(
    { running: 4, runningPerCaller: 2, waiting: 16, maxWait: 3_000, ...limits },
    (callback) => deferred.push(callback),
  );
  const outcomes: string[] = [];
  const settled = async () => {
    for (let work = deferred.shift(); work !== undefined; work = deferred.shift()) work();
    await Promise.resolve();
    await Promise.resolve();
  };
  const acquire = (slot: Slot, name: string) => {
    void slot.acquire().then((rejection) => outcomes.push(`${name} ${rejection ?? 'starts'}`));
    return slot;
  };
  const arrive = (caller: string, name = caller) => acquire(new Slot(limiter, caller), name);
  return { limiter, outcomes, arrive, acquire, settled };
}

describe('ConcurrencyLimiter', () => {
  // Real ones would keep the worker alive for three seconds.
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('limits the requests of each caller, so that a new caller starts immediately', async () => {
    const { limiter, outcomes, arrive, settled } = aLimiter();
    for (let i = 0; i < 10; i++) arrive('crowd');
    arrive('newcomer');
    await settled();
    expect(outcomes).toEqual(['crowd starts', 'crowd starts', 'newcomer starts']);
    expect([limiter.runningCount, limiter.waitingCount]).toEqual([3, 8]);
  });

  it('serves callers in turn, regardless of how many requests each has queued', async () => {
    const { outcomes, arrive, settled } = aLimiter({ running: 1 });
    const first = arrive('a', 'a1');
    const slots = ['a2', 'a3', 'b1', 'b2', 'c1'].map((name) => arrive(name.charAt(0), name));
    first.release();
    while (outcomes.length < 6) {
      await settled();
      slots.find(({ isRunning }) => isRunning)?.release();
    }
    expect(outcomes.map((outcome) => outcome.slice(0, 2))).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('starts the next request after the call that frees its slot', async () => {
    const { limiter, arrive, settled } = aLimiter({ running: 1 });
    const first = arrive('a');
    arrive('b');
    first.release();
    expect(limiter.runningCount).toBe(0);
    await settled();
    expect(limiter.runningCount).toBe(1);
  });

  it('keeps room in the queue for other callers, and distinguishes a full queue from a full share', async () => {
    const { limiter, outcomes, arrive, settled } = aLimiter({ running: 1, waiting: 4 });
    for (let i = 0; i < 5; i++) arrive('crowd');
    arrive('b');
    arrive('c');
    await settled();
    expect(limiter.waitingCount).toBe(4);
    expect(outcomes.filter((outcome) => outcome === 'crowd caller_limit')).toHaveLength(2);
    arrive('d');
    await settled();
    expect(outcomes.at(-1)).toBe('d queue_full');
  });

  it('rejects a request that waited for three seconds', async () => {
    const { limiter, outcomes, arrive, acquire, settled } = aLimiter({ running: 1 });
    arrive('a');
    const late = arrive('b');
    acquire(new Slot(limiter, 'c', 2_000), 'c, which has waited elsewhere,');
    jest.advanceTimersByTime(999);
    await settled();
    expect(outcomes).toEqual(['a starts']);
    jest.advanceTimersByTime(2_000);
    await settled();
    expect(outcomes.splice(1)).toEqual(['c, which has waited elsewhere, queue_timeout']);
    jest.advanceTimersByTime(1);
    await settled();
    expect(outcomes).toEqual(['a starts', 'b queue_timeout']);
    expect([limiter.waitingCount, late.waitedMilliseconds]).toEqual([0, 3_000]);
  });

  it('removes a queued request whose client has disconnected', async () => {
    const { limiter, arrive, settled } = aLimiter({ running: 1 });
    const first = arrive('a');
    const gone = arrive('b');
    gone.release();
    first.release();
    await settled();
    expect([limiter.runningCount, limiter.waitingCount, gone.isRunning]).toEqual([0, 0, false]);
  });

  it('holds no slot while a body is received, and one again afterwards', async () => {
    const { limiter, outcomes, arrive, acquire, settled } = aLimiter({ running: 1 });
    const slow = arrive('slow');
    expect(slow.pause()).toBe(true);
    const other = arrive('other');
    expect(limiter.runningCount).toBe(1);
    acquire(slow, 'slow, with its body');
    await settled();
    expect(outcomes).toEqual(['slow starts', 'other starts']);
    other.release();
    await settled();
    expect(outcomes.at(-1)).toBe('slow, with its body starts');
  });

  it('does not reject a request with its body for a full queue', async () => {
    const { outcomes, arrive, acquire, settled } = aLimiter({ running: 1, waiting: 1 });
    const slow = arrive('slow');
    slow.pause();
    const other = arrive('other');
    arrive('queued');
    acquire(slow, 'slow, with its body');
    other.release();
    await settled();
    expect(outcomes).not.toContain('slow, with its body queue_full');
  });

  it('limits the bodies of one caller to the free places, and keeps the slots of rejected ones', () => {
    const { limiter, arrive } = aLimiter({ running: 100, runningPerCaller: 100, waiting: 4 });
    const paused = (caller: string) => arrive(caller).pause();
    expect(['crowd', 'crowd', 'crowd', 'b', 'b', 'c'].map(paused)).toEqual([true, true, false, true, false, true]);
    expect(limiter.runningCount).toBe(2);
  });

  it('keeps its limits, settles every request and releases everything for any sequence of events', async () => {
    const action = fc.tuple(fc.constantFrom('arrive', 'pause', 'resume', 'release'), fc.nat(11), fc.nat(2));
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const { limiter, outcomes, arrive, acquire, settled } = aLimiter({ waiting: 3 });
        const slots: Slot[] = [];
        let asked = 0;
        for (const [what, index, caller] of actions) {
          const slot = slots[index % Math.max(1, slots.length)];
          if (what === 'arrive') slots.push(arrive(String(caller)));
          if (what === 'arrive') asked++;
          if (what === 'pause') slot?.pause();
          if (what === 'release') slot?.release();
          await settled();
          expect(limiter.runningCount).toBeLessThanOrEqual(4);
        }
        for (const slot of slots) slot.release();
        await settled();
        expect(outcomes).toHaveLength(asked);
        expect([limiter.runningCount, limiter.waitingCount]).toEqual([0, 0]);
        // Everything is free again.
        for (let i = 0; i < 4; i++) expect(acquire(new Slot(limiter, String(i)), 'new').pause()).toBe(i < 3);
      }),
      { seed: 20270501 },
    );
  });
});
