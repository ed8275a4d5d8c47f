import { hashSecret, SecretHasher } from '../../common/secrets/secret-hasher.js';
import { newSecret, secretTagOf } from './api-key-format.js';
import { SecretVerifier } from './secret-verifier.js';

const keyPrefix = 'ffk_live_000000000001';

describe('SecretVerifier', () => {
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
  const isValid = async (...args: Parameters<typeof verify>) => (await verify(...args)) !== 'wrong';

  /** Returns a wrong secret with the right tag; one of 65,536 has it. */
  const wrongWithTheSameTag = () => {
    for (;;) {
      const wrong = newSecret();
      if (secretTagOf(wrong) === secretTagOf(secret)) return wrong;
    }
  };

  it('runs argon2 only for the first verification of a valid secret', async () => {
    for (let i = 0; i < 5; i++) expect(await isValid(secret)).toBe(true);
    expect(argon2).toHaveBeenCalledTimes(1);
  });

  it('returns whether argon2 ran or the secret was known', async () => {
    expect([await verify(secret), await verify(secret), await verify(newSecret())]).toEqual([
      'first',
      'known',
      'wrong',
    ]);
  });

  it('runs argon2 once for a burst with one new secret', async () => {
    expect(await Promise.all(Array.from({ length: 20 }, () => isValid(secret)))).toEqual(Array(20).fill(true));
    expect(argon2).toHaveBeenCalledTimes(1);
  });

  it('rejects a secret with a wrong tag without argon2', async () => {
    expect(await isValid(newSecret(), { secretHash, secretTag: secretTagOf(secret) })).toBe(false);
    expect(argon2).not.toHaveBeenCalled();
  });

  it('rejects a wrong secret with the right tag', async () => {
    expect(await isValid(wrongWithTheSameTag(), { secretHash, secretTag: secretTagOf(secret) })).toBe(false);
    expect(argon2).toHaveBeenCalledTimes(1);
  });

  it('caches a wrong secret for a minute', async () => {
    const wrong = newSecret();
    for (let i = 0; i < 5; i++) expect(await isValid(wrong)).toBe(false);
    expect(argon2).toHaveBeenCalledTimes(1);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
    expect(await isValid(wrong)).toBe(false);
    expect(argon2).toHaveBeenCalledTimes(2);
  });

  it('caches up to 100,000 valid and 10,000 wrong secrets', async () => {
    for (const [outcome, most] of [
      [true, 100_000],
      [false, 10_000],
    ] as const) {
      argon2.mockResolvedValue(outcome);
      const [first, second] = [newSecret(), newSecret()];
      await isValid(first);
      await isValid(second);
      for (let other = 2; other < most; other++) await isValid(newSecret());
      argon2.mockClear();
      await isValid(second);
      expect(argon2).toHaveBeenCalledTimes(0);
      await isValid(newSecret());
      await isValid(first);
      expect(argon2).toHaveBeenCalledTimes(2);
    }
  });

  it('binds cached results to the stored hash: a rotation invalidates the old secret', async () => {
    const next = newSecret();
    expect([await isValid(secret), await isValid(next)]).toEqual([true, false]);
    const rotated = { secretHash: await hashSecret(next) };
    expect([await isValid(secret, rotated), await isValid(next, rotated)]).toEqual([false, true]);
  });
});
