import { formatApiKey, newKeyPrefix, newSecret, parseApiKey } from './api-key-format.js';

const live = 'ffk_live_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const aKey = (prefix = live) => formatApiKey({ keyPrefix: newKeyPrefix(prefix), secret: newSecret() });

/** CRC-32 as in ISO 3309, bit by bit: another implementation than the one under test. */
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
  it('has the promised shape: prefix, 12 and 32 base62 characters, 6 of checksum', () => {
    expect(aKey()).toMatch(/^ffk_live_[0-9A-Za-z]{12}[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
  });

  it('is read back into the parts that it was made of', () => {
    for (let run = 0; run < 200; run++) {
      const parts = { keyPrefix: newKeyPrefix(live), secret: newSecret() };
      expect(parseApiKey(live, formatApiKey(parts))).toEqual(parts);
    }
  });

  it('ends in the CRC-32 of all before, in base62 with the highest digit first', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    for (let run = 0; run < 200; run++) {
      const key = aKey();
      expect(fromBase62(key.slice(-6))).toBe(crc32(key.slice(0, -6)));
    }
  });

  it('is refused when any one of its characters is another', () => {
    const key = aKey();
    for (let place = 0; place < key.length; place++) {
      for (const other of [...Array.from(alphabet), '-', '_', ' ', 'ü']) {
        if (other === key[place]) continue;
        const wrong = key.slice(0, place) + other + key.slice(place + 1);
        expect([wrong, parseApiKey(live, wrong)]).toEqual([wrong, undefined]);
      }
    }
  });

  it('is refused when two neighbours that differ are exchanged', () => {
    const key = aKey();
    for (let place = 0; place < key.length - 1; place++) {
      const [one = '', two = ''] = [key[place], key[place + 1]];
      if (one !== two)
        expect(parseApiKey(live, key.slice(0, place) + two + one + key.slice(place + 2))).toBeUndefined();
    }
  });

  it.each([
    ['is empty', () => ''],
    ['is the prefix alone', () => live],
    ['lacks its last character', (key: string) => key.slice(0, -1)],
    ['has one character more', (key: string) => `${key}0`],
    ['is written twice', (key: string) => key + key],
    ['has a space before it', (key: string) => ` ${key}`],
    ['lacks its prefix', (key: string) => key.slice(live.length)],
  ])('is refused when it %s', (_, change) => {
    expect(parseApiKey(live, change(aKey()))).toBeUndefined();
  });

  it('is refused under another live prefix, also one of the same length', () => {
    expect(parseApiKey('ffk_live_', aKey('ffk_test_'))).toBeUndefined();
    expect(parseApiKey('ffk_', aKey())).toBeUndefined();
    expect(parseApiKey('ffk_test_', aKey('ffk_test_'))).toBeDefined();
  });

  it('is another one each time, of all the letters', () => {
    const secrets = Array.from({ length: 500 }, newSecret);
    expect(new Set(secrets).size).toBe(500);
    expect(new Set(secrets.join('')).size).toBe(62);
  });
});
