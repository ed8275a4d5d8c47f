import fc from 'fast-check';
import { runAtOnce, runInTurns, sortInSteps, type Steps } from './turns.js';

function* busy(milliseconds: number): Steps<string> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) yield;
  return 'done';
}

describe('long work', () => {
  it('lets others run before it ends', async () => {
    const order: string[] = [];
    const other = new Promise<void>((resolve) => setImmediate(() => resolve(void order.push('other'))));
    await Promise.all([runInTurns(busy(50)).then((result) => order.push(result)), other]);
    expect(order).toEqual(['other', 'done']);
  });

  it('gets one turn at a time with other long work', async () => {
    const order: string[] = [];
    function* named(name: string): Steps<void> {
      for (let turn = 0; turn < 3; turn++) {
        yield* busy(15);
        order.push(name);
      }
    }
    let turns = 0;
    const count = () => setImmediate(() => (turns++, order.length < 6 && count()));
    count();
    await Promise.all([runInTurns(named('one')), runInTurns(named('other'))]);
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it('throws the error of a step', async () => {
    // eslint-disable-next-line require-yield -- fails in its first step
    function* failing(): Steps<void> {
      throw new Error('a step failed');
    }
    await expect(runInTurns(failing())).rejects.toThrow('a step failed');
  });
});

it('sorts in steps as an array is sorted', () => {
  const item = fc.record({ by: fc.integer({ min: 0, max: 20 }), id: fc.nat() });
  fc.assert(
    fc.property(fc.array(item, { minLength: 0, maxLength: 3_000, size: 'max' }), (items) => {
      const compare = (one: { by: number }, other: { by: number }) => one.by - other.by;
      expect(runAtOnce(sortInSteps(items, compare))).toEqual(items.toSorted(compare));
    }),
    { seed: 20270501, numRuns: 50 },
  );
});
