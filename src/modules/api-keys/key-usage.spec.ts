import timers from 'node:timers/promises';
import { Clock } from '../../config/clock.js';
import { ApiKeysRepository, type KeyUse } from './api-keys.repository.js';
import { KeyUsage } from './key-usage.js';

const address = '203.0.113.7';

describe('KeyUsage', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers().restoreAllMocks());

  function createUsage() {
    const written: KeyUse[][] = [];
    const removals: Date[] = [];
    let isUnreachable = false;
    const keys = Object.assign(Object.create(ApiKeysRepository.prototype) as ApiKeysRepository, {
      updateLastUsed: (uses: readonly KeyUse[]) => {
        if (isUnreachable) return Promise.reject(new Error('unreachable'));
        written.push([...uses]);
        return Promise.resolve();
      },
      removePreviousSecrets: (now: Date) => Promise.resolve(void removals.push(now)),
    });
    const usage = new KeyUsage(keys, new Clock());
    return { usage, written, removals, setUnreachable: (value: boolean) => (isUnreachable = value) };
  }

  it('stores the uses of all keys and removes outdated secrets once a minute', async () => {
    const { usage, written, removals } = createUsage();
    const minute = Promise.withResolvers<undefined>();
    const sleep = jest.spyOn(timers, 'setTimeout').mockReturnValueOnce(minute.promise);
    usage.onModuleInit();
    await jest.advanceTimersByTimeAsync(0);
    for (let i = 0; i < 1_000; i++) usage.record(`key ${i % 3}`, i % 5 === 0, address);
    expect([sleep.mock.lastCall?.[0], written]).toEqual([60_000, []]);
    minute.resolve(undefined);
    await jest.advanceTimersByTimeAsync(0);
    expect(
      written.map((uses) =>
        uses.map(({ keyId, isPreviousSecret }) => `${keyId}${isPreviousSecret ? ', previous' : ''}`).sort(),
      ),
    ).toEqual([['key 0', 'key 0, previous', 'key 1', 'key 1, previous', 'key 2', 'key 2, previous']]);
    expect(removals).toEqual([new Date()]);
    await usage.onApplicationShutdown();
    expect(written).toHaveLength(1);
  });

  it('keeps uses while the database is unreachable, and stores the last one of each key', async () => {
    const { usage, written, setUnreachable } = createUsage();
    setUnreachable(true);
    usage.record('a', false, address);
    await usage.flush();
    jest.setSystemTime(1_000);
    usage.record('a', false, address);
    setUnreachable(false);
    await usage.flush();
    expect(written).toEqual([[{ keyId: 'a', at: new Date(1_000), address, isPreviousSecret: false }]]);
  });

  it('stores uses when the server stops', async () => {
    const { usage, written } = createUsage();
    usage.record('a', false, address);
    await usage.onApplicationShutdown();
    expect(written).toHaveLength(1);
  });
});
