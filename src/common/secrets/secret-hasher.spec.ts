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
});
