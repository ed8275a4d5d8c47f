import { BoundedQueue } from './bounded-queue.js';

// The limits and turns are those of `ConcurrencyLimiter`, whose tests hold them.
describe('BoundedQueue', () => {
  it('rejects a task with 50302 if too many wait, or if it waited too long', async () => {
    const queue = new BoundedQueue({ running: 1, waiting: 1, maxWait: 10 });
    let end: (result: string) => void = () => undefined;
    const running = queue.run(() => new Promise<string>((resolve) => (end = resolve)), 'a');
    const late = queue.run(() => Promise.resolve('late'), 'b');
    await expect(queue.run(() => Promise.resolve('one too many'), 'c')).rejects.toMatchObject({ status: 503 });
    await expect(late).rejects.toMatchObject({ status: 503 });
    end('done');
    expect(await running).toBe('done');
  });

  it('goes on after a task that failed, and runs those of a caller one after the other', async () => {
    const queue = new BoundedQueue({ running: 4, waiting: 9, maxWait: 2_000 });
    let running = 0;
    const task = async () => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      throw new Error('broken');
    };
    const results = await Promise.allSettled([1, 2, 3].map(() => queue.run(task)));
    const broken = { status: 'rejected', reason: new Error('broken') };
    expect(results).toEqual([broken, broken, broken]);
    expect(await queue.run(() => Promise.resolve('done'))).toBe('done');
  });
});
