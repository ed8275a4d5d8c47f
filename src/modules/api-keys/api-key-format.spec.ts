import { formatApiKey, newKeyPrefix, newSecret, parseApiKey } from './api-key-format.js';

const prefix = 'ffk_live_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const createKey = (own = prefix) => formatApiKey({ keyPrefix: newKeyPrefix(own), secret: newSecret() });

/** Returns the CRC-32 as in ISO 3309, bit by bit, independently of the implementation under test. */
function crc32(text: string): number {
  let remainder = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return (remainder ^ 0xffffffff) >>> 0;
}

function fromBase62(digits: string): number {
  return Array.from(digits).reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0);
}

describe('an API key', () => {
  it('has a prefix, 12 and 32 base62 characters, and 6 characters of checksum', () => {
    expect(createKey()).toMatch(/^ffk_live_[0-9A-Za-z]{12}[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
  });

  it('is parsed into the parts that it was formatted from', () => {
    for (let run = 0; run < 200; run++) {
      const parts = { keyPrefix: newKeyPrefix(prefix), secret: newSecret() };
      expect(parseApiKey(prefix, formatApiKey(parts))).toEqual(parts);
    }
  });

  it('ends with the CRC-32 of everything before, in base62 with the highest digit first', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    for (let run = 0; run < 200; run++) {
      const key = createKey();
      expect(fromBase62(key.slice(-6))).toBe(crc32(key.slice(0, -6)));
    }
  });

  it('is rejected if any one character is replaced', () => {
    const key = createKey();
    for (let place = 0; place < key.length; place++) {
      for (const other of [...Array.from(alphabet), '-', '_', ' ', 'ü']) {
        if (other === key[place]) continue;
        const wrong = key.slice(0, place) + other + key.slice(place + 1);
        expect([wrong, parseApiKey(prefix, wrong)]).toEqual([wrong, undefined]);
      }
    }
  });

  it.each([
    ['is empty', () => ''],
    ['is only the prefix', () => prefix],
    ['lacks its last character', (key: string) => key.slice(0, -1)],
    ['is repeated', (key: string) => key + key],
    ['lacks its prefix', (key: string) => key.slice(prefix.length)],
  ])('is rejected if it %s', (_, change) => {
    expect(parseApiKey(prefix, change(createKey()))).toBeUndefined();
  });

  it('is rejected under another prefix, even one of the same length', () => {
    expect(parseApiKey('ffk_live_', createKey('ffk_test_'))).toBeUndefined();
    expect(parseApiKey('ffk_', createKey())).toBeUndefined();
    expect(parseApiKey('ffk_test_', createKey('ffk_test_'))).toBeDefined();
  });

  it('has a random secret of all base62 characters', () => {
    const secrets = Array.from({ length: 500 }, newSecret);
    expect(new Set(secrets).size).toBe(500);
    expect(new Set(secrets.join('')).size).toBe(62);
  });
});
