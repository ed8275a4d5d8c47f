import { availableParallelism } from 'node:os';
import * as argon2 from './argon2.js';
import { SecretHasher } from './secret-hasher.js';

jest.mock('./argon2.js');

describe('argon2', () => {
  it('runs at most as often at once as there are cores, whatever it is for', async () => {
    let running = 0;
    let most = 0;
    const work = async <T>(result: T): Promise<T> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return result;
    };
    jest.mocked(argon2.hashSecret).mockImplementation(() => work('hash'));
    jest.mocked(argon2.verifySecret).mockImplementation(() => work(true));
    const hasher = new SecretHasher();
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => [
        hasher.hash('secret'),
        hasher.verifyKey('hash', 'secret', `key ${i}`),
        hasher.verifyPassword('hash', 'password', `email ${i}`),
      ]).flat(),
    );
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(availableParallelism());
  });

  it('lets 256 keys wait for more than two seconds, as all are seen for the first time after a restart', async () => {
    const ends: (() => void)[] = [];
    jest.mocked(argon2.verifySecret).mockImplementation(() => new Promise((resolve) => ends.push(() => resolve(true))));
    const hasher = new SecretHasher();
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    const atOnce = Math.max(1, availableParallelism() - 1);
    const checks = Array.from({ length: atOnce + 257 }, (_, i) => hasher.verifyKey('hash', 'secret', `key ${i}`));
    const settled = Promise.allSettled(checks);
    clock.mockReturnValue(now + 2_300);
    for (const check of checks) {
      void check.catch(() => undefined);
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.mockRestore();
    const statuses = (await settled).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'fulfilled')).toHaveLength(atOnce + 256);
    expect(statuses.at(-1)).toBe('rejected');
  });
});
