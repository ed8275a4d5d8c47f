import { hashSecret, SecretHasher } from '../../common/secrets/secret-hasher.js';
import { newSecret, secretTagOf } from './api-key-format.js';
import { SecretVerifier } from './secret-verifier.js';

const keyPrefix = 'ffk_live_000000000001';

describe('the check of a key’s secret', () => {
  let hasher: SecretHasher;
  let verifier: SecretVerifier;
  let argon2: jest.SpyInstance;
  let secret: string;
  let secretHash: string;

  beforeEach(async () => {
    hasher = new SecretHasher();
    verifier = new SecretVerifier(hasher);
    argon2 = jest.spyOn(hasher, 'verifyKey');
    secret = newSecret();
    secretHash = await hashSecret(secret);
  });
  afterEach(() => jest.restoreAllMocks());

  const verify = (presented: string, stored: { secretHash: string; secretTag?: string } = { secretHash }) =>
    verifier.verify(verifier.fingerprintOf(keyPrefix + presented), { keyPrefix, secret: presented }, stored);
  const isRight = async (...given: Parameters<typeof verify>) => (await verify(...given)) !== 'wrong';

  /** A wrong secret that has the right tag, as one of 65,536 has. */
  const wrongWithTheSameTag = () => {
    for (;;) {
      const wrong = newSecret();
      if (secretTagOf(wrong) === secretTagOf(secret)) return wrong;
    }
  };

  it('runs argon2 on the first sight of a right secret only', async () => {
    for (let i = 0; i < 5; i++) expect(await isRight(secret)).toBe(true);
    expect(argon2).toHaveBeenCalledTimes(1);
  });

  it('tells a first sight, which argon2 paid for, from a secret that is known', async () => {
    expect([await verify(secret), await verify(secret), await verify(newSecret())]).toEqual([
      'first',
      'known',
      'wrong',
    ]);
  });

  it('runs one argon2 for a burst with one new secret', async () => {
    expect(await Promise.all(Array.from({ length: 20 }, () => isRight(secret)))).toEqual(Array(20).fill(true));
    expect(argon2).toHaveBeenCalledTimes(1);
  });

  it('tells a wrong secret by its tag, without argon2', async () => {
    expect(await isRight(newSecret(), { secretHash, secretTag: secretTagOf(secret) })).toBe(false);
    expect(argon2).not.toHaveBeenCalled();
  });

  it('does not take a right tag for a right secret', async () => {
    expect(await isRight(wrongWithTheSameTag(), { secretHash, secretTag: secretTagOf(secret) })).toBe(false);
    expect(argon2).toHaveBeenCalledTimes(1);
  });

  it('remembers a wrong secret for a minute', async () => {
    const wrong = newSecret();
    for (let i = 0; i < 5; i++) expect(await isRight(wrong)).toBe(false);
    expect(argon2).toHaveBeenCalledTimes(1);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
    expect(await isRight(wrong)).toBe(false);
    expect(argon2).toHaveBeenCalledTimes(2);
  });

  it('remembers 100,000 right and 10,000 wrong secrets and no more', async () => {
    for (const [outcome, most] of [
      [true, 100_000],
      [false, 10_000],
    ] as const) {
      argon2.mockResolvedValue(outcome);
      const [first, second] = [newSecret(), newSecret()];
      await isRight(first);
      await isRight(second);
      for (let other = 2; other < most; other++) await isRight(newSecret());
      argon2.mockClear();
      await isRight(second);
      expect(argon2).toHaveBeenCalledTimes(0);
      await isRight(newSecret());
      await isRight(first);
      expect(argon2).toHaveBeenCalledTimes(2);
    }
  });

  it('binds what it remembers to the stored hash: after a rotation the old secret is wrong, the new one right', async () => {
    const next = newSecret();
    expect([await isRight(secret), await isRight(next)]).toEqual([true, false]);
    const rotated = { secretHash: await hashSecret(next) };
    expect([await isRight(secret, rotated), await isRight(next, rotated)]).toEqual([false, true]);
  });
});
