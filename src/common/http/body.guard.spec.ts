import { isDeeperThan } from './body.guard.js';

const nested = (levels: number, inner: unknown = 1): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

describe('isDeeperThan', () => {
  it('counts objects and arrays', () => {
    expect(isDeeperThan(nested(32), 32)).toBe(false);
    expect(isDeeperThan(nested(33), 32)).toBe(true);
    expect(isDeeperThan({}, 1)).toBe(false);
    expect(isDeeperThan({ a: {} }, 1)).toBe(true);
    expect(isDeeperThan(1, 0)).toBe(false);
  });

  it('finds the deepest branch', () => {
    expect(isDeeperThan({ a: 1, b: [1, 2, nested(31)], c: null }, 32)).toBe(true);
    expect(isDeeperThan({ a: 1, b: [1, 2, nested(30)], c: null }, 32)).toBe(false);
  });

  it('handles any depth without a stack overflow', () => {
    expect(isDeeperThan(nested(200_000), 32)).toBe(true);
  });
});
