import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'express';
import fc from 'fast-check';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { canonicalJson, idempotencyKeyOf } from './idempotency-key.js';

fc.configureGlobal({ seed: 20270501, numRuns: 1_000 });

const keyOf = (header: unknown, body: unknown = {}, path = '/v1/public-api/teams') =>
  idempotencyKeyOf({ headers: { 'idem-key': header }, method: 'POST', path, body } as unknown as Request, true);

/** Any JSON value from `JSON.parse`, including keys that can reach prototypes. */
const jsonValues = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(fc.oneof(fc.constantFrom('__proto__', 'a', 'b', '1', 'ü', ''), fc.string()), tie('value')), {
          maxLength: 4,
        })
        .map(objectOf),
    ),
  }))
  .value.map((value): unknown => JSON.parse(JSON.stringify(value)));

function objectOf(members: readonly [string, unknown][]): object {
  return JSON.parse(
    `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
  ) as object;
}

/** Reverses the keys of every object. */
function turnedRound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedRound);
  if (typeof value !== 'object' || value === null) return value;
  return objectOf(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turnedRound(inner)]),
  );
}

describe('the canonical JSON of any value', () => {
  it('is equivalent, and independent of the order of keys', () => {
    const check = (value: unknown) => {
      const text = canonicalJson(value);
      expect(isDeepStrictEqual(JSON.parse(text), value)).toBe(true);
      expect(canonicalJson(turnedRound(value))).toBe(text);
    };
    fc.assert(fc.property(jsonValues, check));
  });

  it('differs for different values', () => {
    // With few members, so that equal values occur.
    const few = fc.oneof(
      jsonValues,
      fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, '1', null, [1], {}), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    );
    const check = (one: unknown, other: unknown) =>
      expect(canonicalJson(one) === canonicalJson(other)).toBe(isDeepStrictEqual(one, other));
    fc.assert(fc.property(few, few, check));
  });
});

describe('any text as an idem-key', () => {
  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 260,
  });
  const texts = fc.oneof(visible, fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 }));

  it('is accepted with 1 to 255 visible ASCII characters, else rejected with 40003', () => {
    const check = (text: string) => {
      const isRight =
        text.length >= 1 && text.length <= 255 && Array.from(text).every((one) => one > ' ' && one < '\u007f');
      if (isRight) expect(keyOf(text)?.keyHash).toHaveLength(43);
      else expect(() => keyOf(text)).toThrow(errorCatalogue.idempotencyKeyInvalid.message);
    };
    fc.assert(fc.property(texts, check));
  });

  it('differs from every other text, with one fingerprint for equal bodies', () => {
    const right = visible.filter((text) => text.length > 0 && text.length < 256);
    const check = (one: string, other: string, body: unknown) => {
      const [first, second] = [keyOf(one, body), keyOf(other, turnedRound(body))];
      expect(first?.keyHash === second?.keyHash).toBe(one === other);
      expect(second?.fingerprint).toBe(first?.fingerprint);
    };
    fc.assert(fc.property(right, right, jsonValues, check));
  });
});
