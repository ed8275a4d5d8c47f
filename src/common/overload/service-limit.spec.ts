import { ServiceLimit } from './service-limit.js';

describe('how many may be in service', () => {
  const after = (limit: ServiceLimit, ...utilizations: number[]) => {
    for (const utilization of utilizations) limit.heed(utilization);
    return limit.value;
  };

  it('is few at first, and grows up to the most while requests wait for something else than the event loop', () => {
    const limit = new ServiceLimit(4, 50);
    expect(limit.value).toBe(4);
    expect([after(limit, 0.2), after(limit, 0.2), after(limit, 0.2, 0.2)]).toEqual([8, 16, 50]);
  });

  it('falls to few while the event loop is busy, and stays where it is in between', () => {
    const limit = new ServiceLimit(4, 256);
    after(limit, 0, 0, 0);
    expect([after(limit, 0.85), after(limit, 0.95), after(limit, 1, 1, 1, 1)]).toEqual([32, 16, 4]);
  });

  it('forgets what it has learnt when nobody waits, but for twice what is in service', () => {
    const limit = new ServiceLimit(4, 256);
    after(limit, 0, 0, 0, 0, 0);
    limit.relax(20);
    expect(limit.value).toBe(42);
    limit.relax(0);
    expect(limit.value).toBe(4);
  });
});
