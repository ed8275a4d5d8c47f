import { SerialWork } from './serial-work.js';

let work: SerialWork;
/** The names that are remembered. */
let names: () => number;

beforeEach(() => {
  work = new SerialWork();
  const { works } = work as unknown as { works: Map<string, unknown> };
  names = () => works.size;
});

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('serial work', () => {
  it('does what comes under one name one after the other, in its order', async () => {
    const seen: string[] = [];
    const step = (name: string) =>
      work.run('one', async () => {
        seen.push(`${name} begins`);
        await soon();
        seen.push(`${name} ends`);
      });
    await Promise.all(['a', 'b', 'c'].map(step));
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('does not hold up another name', async () => {
    void work.run('one', () => new Promise(() => undefined));
    expect(await work.run('two', () => Promise.resolve('done'))).toBe('done');
  });

  it('goes on after what failed', async () => {
    const failed = work.run('one', () => Promise.reject(new Error('broken')));
    const next = work.run('one', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('remembers no name whose work is done, refused or failed', async () => {
    const all = Array.from({ length: 200 }, (_, name) => work.run(`name ${name}`, soon));
    const crowd = Array.from({ length: 200 }, () => work.run('crowd', soon));
    const broken = work.run('broken', () => Promise.reject(new Error('broken')));
    expect(names()).toBe(202);
    await Promise.allSettled([...all, ...crowd, broken]);
    expect(names()).toBe(0);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'keeps one after the other where a newcomer comes %i moments after those who waited too long are given up',
    async (moments) => {
      let running = 0;
      let most = 0;
      const begin = () =>
        work.run('one', async () => {
          most = Math.max(most, ++running);
          await soon();
          running--;
        });
      const newcomer = async () => {
        for (let moment = 0; moment < moments; moment++) await Promise.resolve();
        await begin();
      };
      const newcomers: Promise<void>[] = [];
      const first = work.run('one', async () => {
        await soon();
        newcomers.push(newcomer());
      });
      const givenUp = Array.from({ length: 3 }, () => begin().catch(begin));
      const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_600);
      await Promise.all([first, ...givenUp]);
      await Promise.all(newcomers);
      clock.mockRestore();
      expect([most, names()]).toEqual([1, 0]);
    },
  );
});
