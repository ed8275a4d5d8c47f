import { hashSecret, SecretHasher } from '../../access/secret-hasher.js';
import { newSecret, secretTagOf } from './api-key-format.js';
import { SecretVerifier } from './api-key-authenticator.js';

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

  const verify = (
    presented: string,
    stored: { secretHash: string; secretTag?: string } = { secretHash },
    address = '198.51.100.1',
  ) => {
    const fingerprint = verifier.fingerprintOf(keyPrefix + presented);
    return verifier.verify(fingerprint, { keyPrefix, secret: presented }, stored, { ip: address });
  };
  const isValid = async (...args: Parameters<typeof verify>) => ['known', 'first'].includes(await verify(...args));

  /** Returns a wrong secret with the right tag; one of 65,536 has it. */
  const wrongWithTheSameTag = () => {
    for (let attempt = 0; ; attempt++) {
      const wrong = `secret ${attempt}`;
      if (secretTagOf(wrong) === secretTagOf(secret)) return wrong;
    }
  };

  it('runs argon2 only for the first verification of a valid secret', async () => {
    for (let i = 0; i < 5; i++) expect(await isValid(secret)).toBe(true);
    expect(argon2).toHaveBeenCalledTimes(1);
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

  it('verifies no other secret from the address of a wrong one for a minute, not even the right one', async () => {
    expect(await verify(newSecret())).toBe('wrong');
    expect([await verify(newSecret()), await verify(secret)]).toEqual(['limited', 'limited']);
    expect(await verify(newSecret(), { secretHash: await hashSecret('of another key') })).toBe('wrong');
    expect(await verify(secret, { secretHash }, '198.51.100.2')).toBe('first');
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
    expect(await verify(newSecret())).toBe('wrong');
  });

  it('runs argon2 once for many wrong secrets from one address at once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => verify(newSecret())));
    expect(results).toEqual(['wrong', ...Array<string>(19).fill('limited')]);
  });

  it('recognizes a secret at once from an address that sent a wrong one', async () => {
    expect([await verify(secret), await verify(newSecret()), await verify(secret)]).toEqual([
      'first',
      'wrong',
      'known',
    ]);
  });
});
