import type { ServiceError } from '../errors/service-error.js';
import { BoundedQueue } from './bounded-queue.js';

/** A queue with two running tasks and three places to wait; the test completes tasks. */
function busyQueue() {
  const queue = new BoundedQueue({ concurrency: 2, maxPending: 3, maxWait: 2_000 });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const runOf = (caller: string) => (name: string) =>
    queue
      .run(() => {
        started.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      }, caller)
      .catch((error: unknown) => (error as ServiceError).entry.code);
  const endNext = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const run = (name: string) => runOf(name)(name);
  return { queue, started, run, runOf, endNext };
}

afterEach(() => jest.restoreAllMocks());

describe('BoundedQueue', () => {
  it('runs tasks in order with limited concurrency, and rejects the others with 50302', async () => {
    const { started, run, endNext } = busyQueue();
    const results = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(run));
    for (let ended = 0; ended < 5; ended++) {
      await endNext();
      expect(started).toHaveLength(Math.min(5, 3 + ended));
    }
    expect(await results).toEqual(['a', 'b', 'c', 'd', 'e', 50302]);
  });

  it('rejects a task that waited too long, and runs the next one', async () => {
    const { started, run, endNext } = busyQueue();
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    const early = ['a', 'b', 'c'].map(run);
    await new Promise((resolve) => setImmediate(resolve));
    clock.mockReturnValue(now + 1_000);
    const later = run('d');
    clock.mockReturnValue(now + 2_001);
    for (let ended = 0; ended < 3; ended++) await endNext();
    expect(await Promise.all([...early, later])).toEqual(['a', 'b', 50302, 'd']);
    expect(started).toEqual(['a', 'b', 'd']);
  });

  it('serves callers in turn, and leaves places to others', async () => {
    const { started, run, runOf, endNext } = busyQueue();
    const flood = Promise.all(['f1', 'f2', 'f3', 'f4'].map(runOf('flood')));
    const others = Promise.all(['a', 'b'].map((name) => run(name)));
    for (let ended = 0; ended < 5; ended++) await endNext();
    expect(started).toEqual(['f1', 'a', 'b', 'f2']);
    expect(await others).toEqual(['a', 'b']);
    expect(await flood).toEqual(['f1', 'f2', 50302, 50302]);
  });

  it('goes on after a task that failed', async () => {
    const { queue } = busyQueue();
    for (let time = 0; time < 9; time++) {
      await expect(queue.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
  });
});
