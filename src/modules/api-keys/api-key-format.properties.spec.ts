import fc from 'fast-check';
import { formatApiKey, parseApiKey } from './api-key-format.js';

fc.configureGlobal({ seed: 20270501, numRuns: 2_000 });

const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const base62 = (length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const prefixes = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const keys = fc.record({ prefix: prefixes, id: base62(12), secret: base62(32) }).map(({ prefix, id, secret }) => {
  const parts = { keyPrefix: prefix + id, secret };
  return { prefix, parts, key: formatApiKey(parts) };
});
/** Any JavaScript string, including lone surrogates. */
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
  it('is parsed into its parts under any prefix', () => {
    fc.assert(fc.property(keys, ({ prefix, parts, key }) => expect(parseApiKey(prefix, key)).toEqual(parts)));
  });

  it('is rejected with one character replaced, removed or repeated', () => {
    fc.assert(
      fc.property(keys, fc.nat(), anyUnit, ({ prefix, key }, where, other) => {
        const place = where % key.length;
        const [before, after] = [key.slice(0, place), key.slice(place + 1)];
        fc.pre(other !== key[place]);
        expect(parseApiKey(prefix, before + other + after)).toBeUndefined();
      }),
    );
  });

  it('is rejected with up to four adjacent characters replaced, which a CRC-32 always detects', () => {
    fc.assert(
      fc.property(keys, fc.nat(), base62(4), ({ prefix, parts, key }, where, others) => {
        const place = prefix.length + (where % (44 - others.length + 1));
        const wrong = key.slice(0, place) + others + key.slice(place + others.length);
        const expected = wrong === key ? parts : undefined;
        expect(parseApiKey(prefix, wrong)).toEqual(expected);
      }),
    );
  });
});

describe('any string presented as an API key', () => {
  it('is either a complete key or rejected, and never throws', () => {
    const almost = fc.tuple(keys, fc.nat(60), anyText).map(([{ key }, end, text]) => key.slice(0, end) + text);
    const shaped = base62(50).map((text) => `ffk_live_${text}`);
    fc.assert(
      fc.property(prefixes, fc.oneof(anyText, almost, shaped), (otherPrefix, text) => {
        for (const prefix of [otherPrefix, 'ffk_live_']) {
          const parts = parseApiKey(prefix, text);
          if (parts !== undefined) expect(formatApiKey(parts)).toBe(text);
        }
      }),
    );
  });
});
