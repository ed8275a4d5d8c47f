import { Clock } from '../../common/clock.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { KeyUsage } from './key-usage.js';

describe('when keys are used', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function aUsage() {
    const written: [string, Date][][] = [];
    let isAway = false;
    const keys = Object.assign(Object.create(ApiKeysRepository.prototype) as ApiKeysRepository, {
      markUsed: (uses: ReadonlyMap<string, Date>) => {
        if (isAway) return Promise.reject(new Error('away'));
        written.push([...uses]);
        return Promise.resolve();
      },
    });
    const usage = new KeyUsage(keys, new Clock());
    usage.onModuleInit();
    return { usage, written, goAway: (away: boolean) => (isAway = away) };
  }

  it('is written once a minute for all of them, and never with a request', async () => {
    const { usage, written } = aUsage();
    for (let i = 0; i < 1_000; i++) usage.note(`key ${i % 3}`);
    await jest.advanceTimersByTimeAsync(59_000);
    expect(written).toEqual([]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(written.map((uses) => uses.map(([id]) => id))).toEqual([['key 0', 'key 1', 'key 2']]);
    await jest.advanceTimersByTimeAsync(300_000);
    expect(written).toHaveLength(1);
  });

  it('is not lost while the database is away, and not moved back', async () => {
    const { usage, written, goAway } = aUsage();
    goAway(true);
    usage.note('a');
    await jest.advanceTimersByTimeAsync(60_000);
    const later = new Date(Date.now() + 1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    usage.note('a');
    goAway(false);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(written).toEqual([[['a', later]]]);
  });

  it('is written when the server stops', async () => {
    const { usage, written } = aUsage();
    usage.note('a');
    await usage.onApplicationShutdown();
    expect(written).toHaveLength(1);
  });
});
