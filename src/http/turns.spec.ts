import fc from 'fast-check';
import { runAtOnce } from '../../test/support/steps.js';
import { runInTurns, sortInSteps, type Steps } from './turns.js';

/** Each step takes a millisecond. */
function* busy(milliseconds: number): Steps<void> {
  for (let step = 0; step < milliseconds; step++) yield;
}

describe('long work', () => {
  beforeEach(() => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now++);
  });

  afterEach(() => jest.restoreAllMocks());

  it('lets others run before it ends', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    await runInTurns(busy(50)).then(() => order.push('done'));
    expect(order).toEqual(['other', 'done']);
  });

  it('gets one turn at a time with other long work', async () => {
    let turn = 0;
    let isOver = false;
    const turns: number[] = [];
    function* marked(): Steps<void> {
      for (let part = 0; part < 3; part++) {
        turns.push(turn);
        yield* busy(25);
      }
    }
    const count = () => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    count();
    await Promise.all([runInTurns(marked()), runInTurns(marked())]);
    isOver = true;
    // Both start at once; afterwards no part begins in the turn of another one.
    expect(new Set(turns).size).toBe(5);
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
    fc.property(fc.array(item, { minLength: 0, maxLength: 1_000, size: 'max' }), (items) => {
      const compare = (one: { by: number }, other: { by: number }) => one.by - other.by;
      expect(runAtOnce(sortInSteps(items, compare))).toEqual(items.toSorted(compare));
    }),
    { seed: 20270501, numRuns: 50 },
  );
});
