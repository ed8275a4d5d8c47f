import fc from 'fast-check';
import { Bag } from './bag.js';

describe('a bag', () => {
  it('holds what was put in and not taken out, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat({ max: 40 }), { freq: 2 }), { maxLength: 120 }), (steps) => {
        const bag = new Bag<number>();
        const takeOut: (() => void)[] = [];
        const expected = new Set<number>();
        for (const step of steps) {
          if (step === null) {
            expected.add(takeOut.length);
            takeOut.push(bag.add(takeOut.length));
          } else {
            // Also what is out already, and must not take another with it.
            expected.delete(step);
            takeOut[step]?.();
          }
          expect(bag.size).toBe(expected.size);
        }
        expect([...bag].sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));
      }),
    );
  });

  it('holds the same thing as often as it was put in', () => {
    const bag = new Bag<string>();
    const takeOut = bag.add('a');
    bag.add('a');
    takeOut();
    expect([...bag]).toEqual(['a']);
  });

  it('may be emptied while it is gone through', () => {
    const bag = new Bag<string>();
    const takeOut = new Map(['a', 'b', 'c'].map((name) => [name, bag.add(name)]));
    const met = [];
    for (const name of bag) {
      met.push(name);
      takeOut.get(name)?.();
    }
    expect([met, bag.size]).toEqual([['a', 'b', 'c'], 0]);
  });
});
