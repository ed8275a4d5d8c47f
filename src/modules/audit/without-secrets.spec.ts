import { withheld, withoutSecrets } from './without-secrets.js';

const prefix = 'ffk_live_';
const rest = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn';
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NjUwIn0.c2lnbmF0dXJl';
const hash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g';

const messageOf = (changes: unknown): string => {
  try {
    withoutSecrets(changes, prefix);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the guard of the audit against secrets', () => {
  it.each([
    'password',
    'newPassword',
    'passwordHash',
    'secretHash',
    'previousSecret',
    'secretTag',
    'accessToken',
    'apiKey',
    'APIKEY',
    'theApiKey',
  ])('refuses a field that is named %s, whatever its value', (name) => {
    expect(messageOf({ [name]: null })).toContain(`changes.${name} looks like a secret`);
    expect(messageOf({ name: { to: { [name]: 1 } } })).toContain(`changes.name.to.${name} `);
    expect(messageOf({ list: ['a', { [name]: 'x' }] })).toContain(`changes.list.1.${name} `);
  });

  it.each([
    ['an API key', prefix + rest],
    ['an API key inside a sentence', `the key ${prefix}${rest}, which`],
    ['a token', token],
    ['a token with its scheme', `Bearer ${token}`],
    ['the hash of a password', hash],
  ])('withholds %s as a value, and nothing beside it', (_what, value) => {
    const changes = { note: value, deep: { note: ['a', value] }, name: 'b' };
    expect(withoutSecrets(changes, prefix)).toEqual({ note: withheld, deep: { note: ['a', withheld] }, name: 'b' });
  });

  it('knows API keys by the prefix of this server', () => {
    const changes = { note: `other-${rest}` };
    expect(withoutSecrets(changes, 'other-')).toEqual({ note: withheld });
    expect(withoutSecrets(changes, prefix)).toEqual(changes);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a long name', { name: 'x'.repeat(120) }],
    ['what a key is known by', { keyPrefix: 'ffk_live_0123456789AB' }],
    ['what can be done with keys', { action: 'createApiKey', apiKeys: 2, apiKeyId: '6650f1f77bcf86cd79943921' }],
    ['scopes, networks and instants', { scopes: ['teams:read'], networks: ['10.0.0.0/8'], at: new Date(), ends: null }],
    ['a number, a truth and what is unset', { count: 3, archived: false, note: undefined }],
  ])('lets pass %s', (_what, changes) => {
    expect(withoutSecrets(changes, prefix)).toEqual(changes);
  });
});
