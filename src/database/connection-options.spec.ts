import { poolSize } from './connection-options.js';

describe('poolSize', () => {
  it('allows one connection per concurrent request plus eight, at most 512', () => {
    expect([poolSize(1), poolSize(256), poolSize(1_000_000)]).toEqual([9, 264, 512]);
  });
});
