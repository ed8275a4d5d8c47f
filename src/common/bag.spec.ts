import fc from 'fast-check';
import { Bag } from './bag.js';

describe('a bag', () => {
  it('holds what was put in and not taken out, as a set would, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 12 }), { maxLength: 120 }), (values) => {
        const [bag, set] = [new Bag<number>(), new Set<number>()];
        for (const value of values) {
          expect(bag.has(value)).toBe(set.has(value));
          if (set.has(value) && value % 3 > 0) expect(bag.delete(value)).toBe(set.delete(value));
          else expect([...bag.add(value)]).toHaveLength(set.add(value).size);
          expect(bag.size).toBe(set.size);
        }
        expect([...bag].sort((a, b) => a - b)).toEqual([...set].sort((a, b) => a - b));
      }),
    );
  });

  it('says where there was nothing to take out', () => {
    const bag = new Bag<string>().add('a');
    expect([bag.delete('b'), bag.delete('a'), bag.delete('a'), bag.size]).toEqual([false, true, false, 0]);
  });

  it('may be emptied while it is gone through', () => {
    const bag = new Bag(['a', 'b', 'c']);
    const met = [];
    for (const name of bag) {
      met.push(name);
      bag.delete(name);
    }
    expect([met, bag.size]).toEqual([['a', 'b', 'c'], 0]);
  });

  it('is empty once it is cleared', () => {
    const bag = new Bag<string>().add('a').add('b');
    bag.clear();
    expect([...bag]).toEqual([]);
  });
});
