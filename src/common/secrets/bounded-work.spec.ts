import type { ServiceError } from '../errors/service-error.js';
import { BoundedWork, type LaneLimits } from './bounded-work.js';

const lane: LaneLimits = { waiting: 128, waitingPerGroup: 16, longestWait: 2_000 };

/** Two at once; work that ends when the test says so, in the order in which it began. */
function aBusyPlace() {
  const work = new BoundedWork({ keys: { ...lane, longestWait: 3_500 }, people: lane }, 2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (name: string, lane: 'keys' | 'people' = 'keys', group = name) =>
    work.run(lane, group, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  const many = (count: number, lane: 'keys' | 'people' = 'keys', group?: string) =>
    Array.from({ length: count }, (_, i) => begin(`${lane} ${i}`, lane, group));
  const endNext = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { work, begun, begin, many, endNext };
}

const aLane = (waiting: number) => ({ ...lane, waiting });
const refusalOf = (work: Promise<unknown>) => work.then(String, (error: unknown) => (error as ServiceError).entry.code);

describe('bounded work', () => {
  it('runs so much at once and no more, and what waits in the order in which it came', async () => {
    const { begun, many, endNext } = aBusyPlace();
    const all = many(5);
    for (let ended = 0; ended < 5; ended++) {
      expect(begun).toHaveLength(Math.min(5, 2 + ended));
      await endNext();
    }
    expect(await Promise.all(all)).toEqual(begun);
    expect(begun).toEqual(['keys 0', 'keys 1', 'keys 2', 'keys 3', 'keys 4']);
  });

  it('refuses with 50302 beyond the queue, and takes more as soon as there is room', async () => {
    const { begin, many, endNext } = aBusyPlace();
    void many(2 + 128);
    const refused = await begin('late').catch((error: unknown) => error);
    expect(refused).toMatchObject({ entry: { code: 50302 }, retryAfterSeconds: 1 });
    await endNext();
    expect(await Promise.race([refusalOf(begin('again')), Promise.resolve('waits')])).toBe('waits');
  });

  it('has a queue for each lane with a limit of its own', async () => {
    const work = new BoundedWork({ keys: aLane(3), people: aLane(1) }, 1);
    const begin = (lane: 'keys' | 'people') => refusalOf(work.run(lane, undefined, () => new Promise(() => undefined)));
    const outcomes = (['keys', 'keys', 'keys', 'keys', 'keys', 'people', 'people'] as const).map(begin);
    const stays = new Promise((resolve) => setImmediate(resolve, 'stays'));
    const all = await Promise.all(outcomes.map((outcome) => Promise.race([outcome, stays])));
    // The first runs, three wait beside one of the people.
    expect(all).toEqual(['stays', 'stays', 'stays', 'stays', 50302, 'stays', 50302]);
  });

  it('limits how much of a group waits, in each lane by a limit of its own', async () => {
    const work = new BoundedWork({ keys: { ...lane, waitingPerGroup: 1 }, people: { ...lane, waitingPerGroup: 2 } }, 1);
    void work.run('keys', 'other', () => new Promise(() => undefined));
    const begin = (name: 'keys' | 'people') => refusalOf(work.run(name, 'one', () => Promise.resolve()));
    const stays = new Promise((resolve) => setImmediate(resolve, 'stays'));
    const all = (['keys', 'keys', 'people', 'people', 'people'] as const).map(begin);
    const outcomes = await Promise.all(all.map((outcome) => Promise.race([outcome, stays])));
    expect(outcomes).toEqual(['stays', 50302, 'stays', 'stays', 50302]);
  });

  it('lets no group take the whole queue', async () => {
    const { begin, many } = aBusyPlace();
    void many(2 + 16, 'keys', 'one');
    expect(await refusalOf(begin('more', 'keys', 'one'))).toBe(50302);
    expect(await Promise.race([refusalOf(begin('other', 'keys', 'two')), Promise.resolve('waits')])).toBe('waits');
  });

  it('lets nobody wait for longer than is told for the lane', async () => {
    const { begin, endNext, many } = aBusyPlace();
    void many(2);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    const early = refusalOf(begin('early'));
    clock.mockReturnValue(now + 200);
    const justInTime = begin('just in time');
    clock.mockReturnValue(now + 3_600);
    const late = begin('late');
    for (let ended = 0; ended < 4; ended++) await endNext();
    expect([await early, await justInTime, await late]).toEqual([50302, 'just in time', 'late']);
    jest.restoreAllMocks();
  });

  it('serves the lanes in turn: a crowd in one does not hold up the other', async () => {
    const { begun, begin, many, endNext } = aBusyPlace();
    void many(10, 'people');
    void begin('a key');
    await endNext();
    await endNext();
    expect(begun.slice(2)).toContain('a key');
    expect(begun.slice(2)).toContain('people 2');
  });

  it('serves work of a lane while crowds keep other lanes full', async () => {
    const full = { waiting: 4, waitingPerGroup: 4, longestWait: 60_000 };
    const work = new BoundedWork({ keys: full, people: full, strangers: full }, 1);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (name: 'keys' | 'people' | 'strangers') =>
      work.run(name, undefined, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const fill = () => {
      for (const name of ['keys', 'strangers'] as const) for (let i = 0; i < 6; i++) begin(name).catch(() => undefined);
    };
    fill();
    for (let round = 0; round < 10; round++) {
      const before = begun.length;
      void begin('people');
      // One of each other lane comes first at most.
      for (let ended = 0; ended < 3; ended++) {
        fill();
        ends.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(begun.slice(before).sort()).toEqual(['keys', 'people', 'strangers']);
    }
  });

  it('is idle before the first and after the last, and not where something runs or waits', async () => {
    const { work, many, endNext } = aBusyPlace();
    expect(work.isIdle).toBe(true);
    const all = many(3);
    for (let ended = 0; ended < 3; ended++) {
      expect(work.isIdle).toBe(false);
      await endNext();
    }
    await Promise.all(all);
    expect(work.isIdle).toBe(true);
  });

  it('goes on after work that fails', async () => {
    const work = new BoundedWork({ keys: lane }, 1);
    const all = Array.from({ length: 3 }, () => work.run('keys', '', () => Promise.reject(new Error('broken'))));
    expect(await Promise.allSettled(all)).toEqual(Array(3).fill(expect.objectContaining({ status: 'rejected' })));
    expect(await work.run('keys', '', () => Promise.resolve('fine'))).toBe('fine');
  });
});
