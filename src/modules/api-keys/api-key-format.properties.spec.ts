import fc from 'fast-check';
import { formatApiKey, parseApiKey } from './api-key-format.js';

fc.configureGlobal({ seed: 20270501, numRuns: 2_000 });

const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const base62 = (length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const prefixes = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const keys = fc.record({ live: prefixes, id: base62(12), secret: base62(32) }).map(({ live, id, secret }) => {
  const parts = { keyPrefix: live + id, secret };
  return { live, parts, key: formatApiKey(parts) };
});
/** Whatever a text of JavaScript can hold, lone surrogates too. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.array(fc.nat(0xffff), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
);
const anyUnit = fc.oneof(
  fc.constantFrom(...alphabet),
  fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
  anyText,
);

describe('every API key', () => {
  it('is read back into its parts, whatever its prefix', () => {
    fc.assert(fc.property(keys, ({ live, parts, key }) => expect(parseApiKey(live, key)).toEqual(parts)));
  });

  it('is refused with any one character replaced, left out or doubled', () => {
    fc.assert(
      fc.property(keys, fc.nat(), anyUnit, ({ live, key }, where, other) => {
        const place = where % key.length;
        const [before, after] = [key.slice(0, place), key.slice(place + 1)];
        fc.pre(other !== key[place]);
        expect(parseApiKey(live, before + other + after)).toBeUndefined();
      }),
    );
  });

  it('is refused with up to four neighbours replaced before its checksum, which a CRC-32 never misses', () => {
    fc.assert(
      fc.property(keys, fc.nat(), base62(4), ({ live, parts, key }, where, others) => {
        const place = live.length + (where % (44 - others.length + 1));
        const wrong = key.slice(0, place) + others + key.slice(place + others.length);
        const expected = wrong === key ? parts : undefined;
        expect(parseApiKey(live, wrong)).toEqual(expected);
      }),
    );
  });
});

describe('any text that is presented as an API key', () => {
  it('is either a key to its last character or refused, and never an exception', () => {
    const almost = fc.tuple(keys, fc.nat(60), anyText).map(([{ key }, end, text]) => key.slice(0, end) + text);
    const shaped = base62(50).map((text) => `ffk_live_${text}`);
    fc.assert(
      fc.property(prefixes, fc.oneof(anyText, almost, shaped), (live, text) => {
        for (const prefix of [live, 'ffk_live_']) {
          const parts = parseApiKey(prefix, text);
          if (parts !== undefined) expect(formatApiKey(parts)).toBe(text);
        }
      }),
    );
  });
});
