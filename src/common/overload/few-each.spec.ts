import { FewEach } from './few-each.js';

describe('a few each', () => {
  it('lets each caller have its few under way, and one more for each that it gives back, once', () => {
    const few = new FewEach(2);
    const first = few.take('a');
    expect([few.take('a'), few.take('a'), few.take('b')].map((taken) => taken !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    first?.();
    first?.();
    expect([few.take('a'), few.take('a')].map((taken) => taken !== undefined)).toEqual([true, false]);
  });
});
