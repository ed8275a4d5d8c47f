import { createRecoveryCodes, createSecret, decryptSecret, deriveKey, encryptSecret } from './second-factor.rules.js';
import { hashRecoveryCode, stepOf, uriOf } from './second-factor.rules.js';

describe('an encrypted secret', () => {
  const key = deriveKey('a key of at least 32 characters ...');
  const encrypted = encryptSecret('JBSWY3DP', key, 'user 1');

  it('is decrypted with its key for its user, and differs each time', () => {
    expect(decryptSecret(encrypted, key, 'user 1')).toBe('JBSWY3DP');
    expect(encryptSecret('JBSWY3DP', key, 'user 1')).not.toBe(encrypted);
  });

  it.each<[string, () => string]>([
    ['for another user', () => decryptSecret(encrypted, key, 'user 2')],
    ['with another key', () => decryptSecret(encrypted, deriveKey('another key'), 'user 1')],
    ['when changed', () => decryptSecret(`${encrypted.slice(0, -4)}AAAA`, key, 'user 1')],
  ])('is not decrypted %s', (_how, decrypt) => {
    expect(decrypt).toThrow();
  });

  it('names its key by an ID that is no part of the key', () => {
    const { id, bytes } = deriveKey('another key');
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(id).not.toBe(key.id);
    expect(bytes.toString('hex')).not.toContain(id);
  });
});

describe('a code', () => {
  // RFC 6238, appendix B: the last six digits of its eight.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const at = (seconds: number) => new Date(seconds * 1_000);

  it.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [20_000_000_000, '353130', 666_666_666],
  ])('at %d s is that of RFC 6238', (seconds, code, step) => {
    expect(stepOf(code, secret, at(seconds))).toBe(step);
  });

  it.each([
    ['one step later', 59 + 30, 1],
    ['one step earlier', 59 - 30, 1],
    ['two steps later', 59 + 60, undefined],
    ['two steps earlier', 59 - 60, undefined],
  ])('%s has the step %s', (_when, seconds, step) => {
    expect(stepOf('287082', secret, at(seconds))).toBe(step);
  });

  it('may be typed with spaces, hyphens and in lower case', () => {
    expect(stepOf(' 287 082', secret, at(59))).toBe(1);
    expect(hashRecoveryCode('abcd-efgh ijkl-mnop')).toBe(hashRecoveryCode('ABCDEFGHIJKLMNOP'));
  });
});

it('a URI names the issuer, the user and the secret', () => {
  const uri = new URL(uriOf('JBSWY3DPEHPK3PXP', 'dana@example.com'));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Flag Football:dana@example.com',
  ]);
  const parameters = { issuer: 'Flag Football', secret: 'JBSWY3DPEHPK3PXP', algorithm: 'SHA1', digits: '6' };
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ ...parameters, period: '30' });
});

it('secrets have 160 bits, and the ten recovery codes 80', () => {
  expect(createSecret()).toMatch(/^[A-Z2-7]{32}$/);
  const codes = createRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
});
