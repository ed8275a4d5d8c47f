import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedWork } from './shared-work.js';

/** Work whose pieces end when the test says so. */
class Pieces {
  readonly started: string[] = [];
  private readonly ends = new Map<string, () => void>();

  readonly start = (name: string) => () =>
    new Promise<string>((resolve) => {
      this.started.push(name);
      this.ends.set(name, () => resolve(name));
    });

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await nextTurn();
  }
}

describe('shared work', () => {
  it('runs once for all that ask before it starts, and again for those that ask later', async () => {
    const work = new SharedWork<string>(1, 8);
    const pieces = new Pieces();
    const first = [work.run('a', 'table', pieces.start('first')), work.run('a', 'table', pieces.start('first'))];
    await nextTurn();
    const later = [work.run('a', 'table', pieces.start('later')), work.run('a', 'table', pieces.start('later'))];
    await nextTurn();
    expect(pieces.started).toEqual(['first']);
    await pieces.end('first');
    await pieces.end('later');
    expect(await Promise.all([...first, ...later])).toEqual(['first', 'first', 'later', 'later']);
  });

  it('runs the work of the last one that asks', async () => {
    const work = new SharedWork<string>(1, 8);
    const asked = ['first', 'last'].map((name) => work.run('a', 'table', () => Promise.resolve(name)));
    expect(await Promise.all(asked)).toEqual(['last', 'last']);
  });

  it('runs one piece of a lane at a time, and other lanes beside it', async () => {
    const work = new SharedWork<string>(2, 8);
    const pieces = new Pieces();
    void work.run('a', 'one', pieces.start('a1'));
    void work.run('a', 'two', pieces.start('a2'));
    void work.run('b', 'one', pieces.start('b1'));
    void work.run('c', 'one', pieces.start('c1'));
    await nextTurn();
    expect(pieces.started).toEqual(['a1', 'b1']);
    await pieces.end('b1');
    expect(pieces.started).toEqual(['a1', 'b1', 'c1']);
    await pieces.end('a1');
    expect(pieces.started).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('rejects what would wait behind too many pieces of its lane', async () => {
    const work = new SharedWork<string>(1, 2);
    const pieces = new Pieces();
    void work.run('a', 'running', pieces.start('running'));
    await nextTurn();
    void work.run('a', 'one', pieces.start('one'));
    void work.run('a', 'two', pieces.start('two'));
    expect(() => work.run('a', 'three', pieces.start('three'))).toThrow('overloaded');
    void work.run('b', 'one', pieces.start('b'));
    await pieces.end('running');
    expect(pieces.started).not.toContain('three');
  });

  it('goes on after a piece that failed, which fails for all that shared it', async () => {
    const work = new SharedWork<string>(1, 8);
    const fail = () => Promise.reject(new Error('the database is away'));
    const shared = [work.run('a', 'table', fail), work.run('a', 'table', fail)];
    await expect(Promise.all(shared)).rejects.toThrow('away');
    await expect(shared[1]).rejects.toThrow('away');
    await expect(work.run('a', 'table', () => Promise.resolve('right'))).resolves.toBe('right');
  });
});
