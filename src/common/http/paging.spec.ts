import { mapPage, offsetOf } from './paging.js';

describe('a page', () => {
  it('starts after the entries of the previous pages', () => {
    expect(offsetOf({ page: 1, limit: 20 })).toBe(0);
    expect(offsetOf({ page: 3, limit: 100 })).toBe(200);
    expect(offsetOf({ page: 1_000_000, limit: 100 })).toBe(99_999_900);
  });

  it('keeps its total when its records are mapped', () => {
    expect(mapPage({ data: [1, 2], total: 7 }, String)).toEqual({ data: ['1', '2'], total: 7 });
  });
});
