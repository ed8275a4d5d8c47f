import { availableParallelism } from 'node:os';
import type { ServiceError } from '../errors/service-error.js';
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
        ...(['admins', 'familiar', 'strangers'] as const).map((lane) =>
          hasher.verifyPassword('hash', 'password', { lane, group: `${i % 20}` }).catch(() => undefined),
        ),
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

  it('serves admins and familiar logins while strangers, 2 of a network and 16 in all, are refused beyond', async () => {
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const work = <T>(name: string, result: T): Promise<T> => {
      started.push(name);
      return new Promise((resolve) => ends.push(() => resolve(result)));
    };
    jest.mocked(argon2.hashSecret).mockImplementation((secret) => work(secret, 'hash'));
    jest.mocked(argon2.verifySecret).mockImplementation((_, secret) => work(secret, true));
    const hasher = new SecretHasher();
    const outcomeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: unknown) => (error as ServiceError).entry.code,
      );
    const stranger = (group: string) => outcomeOf(hasher.verifyPassword('', 'stranger', { lane: 'strangers', group }));
    const atOnce = Math.max(1, availableParallelism() - 1);
    const running = Array.from({ length: atOnce }, (_, i) => stranger(`running ${i}`));
    const ofOneNetwork = Array.from({ length: 3 }, () => stranger('a network'));
    expect(await ofOneNetwork[2]).toBe(50302);
    const others = Array.from({ length: 15 }, (_, i) => stranger(`network ${i}`));
    expect(await others[14]).toBe(50302);

    const familiar = outcomeOf(hasher.verifyPassword('', 'familiar', { lane: 'familiar', group: 'account' }));
    const admin = outcomeOf(hasher.hash('admin'));
    for (let ended = 0; ended < 3; ended++) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Of the three that started since, one is a stranger's.
    expect(started.slice(atOnce).sort()).toEqual(['admin', 'familiar', 'stranger']);
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const served = await Promise.all([
      familiar,
      admin,
      ...running,
      ...ofOneNetwork.slice(0, 2),
      ...others.slice(0, 14),
    ]);
    expect(new Set(served)).toEqual(new Set(['done']));
  });
});
