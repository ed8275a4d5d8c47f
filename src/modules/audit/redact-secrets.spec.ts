import { redacted, redactSecrets } from './redact-secrets.js';

const prefix = 'ffk_live_';
const prefixes = { liveKeyPrefix: prefix, testKeyPrefix: 'ffk_test_' };
const rest = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn';
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NjUwIn0.c2lnbmF0dXJl';
const hash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g';

const messageOf = (changes: unknown): string => {
  try {
    redactSecrets(changes, prefixes);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('redactSecrets', () => {
  it.each(['newPassword', 'secretHash', 'previousSecret', 'secretTag', 'accessToken', 'APIKEY'])(
    'rejects a field named %s with any value',
    (name) => {
      expect(messageOf({ [name]: null })).toContain(`store changes.${name}, which looks like a secret`);
      expect(messageOf({ name: { to: { [name]: 1 } } })).toContain(`changes.name.to.${name},`);
      expect(messageOf({ list: ['a', { [name]: 'x' }] })).toContain(`changes.list.1.${name},`);
    },
  );

  it.each([
    ['an API key', prefix + rest],
    ['the API key of a sandbox', `ffk_test_${rest}`],
    ['an API key inside a sentence', `the key ${prefix}${rest}, which`],
    ['a token', token],
    ['a token with its scheme', `Bearer ${token}`],
    ['the hash of a password', hash],
  ])('redacts %s and nothing else', (_what, value) => {
    const changes = { note: value, deep: { note: ['a', value] }, name: 'b' };
    expect(redactSecrets(changes, prefixes)).toEqual({ note: redacted, deep: { note: ['a', redacted] }, name: 'b' });
  });

  it('recognizes API keys by the configured prefix', () => {
    const changes = { note: `other-${rest}` };
    expect(redactSecrets(changes, { ...prefixes, liveKeyPrefix: 'other-' })).toEqual({ note: redacted });
    expect(redactSecrets(changes, prefixes)).toEqual(changes);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['the prefix of a key', { keyPrefix: 'ffk_live_0123456789AB' }],
    ['names and IDs about keys', { action: 'createApiKey', apiKeys: 2, apiKeyId: '6650f1f77bcf86cd79943921' }],
    ['scopes, networks and times', { scopes: ['teams:read'], networks: ['10.0.0.0/8'], at: new Date(), ends: null }],
  ])('keeps %s', (_what, changes) => {
    expect(redactSecrets(changes, prefixes)).toEqual(changes);
  });
});
