import fc from 'fast-check';
import { locationProblem } from './location.js';

fc.configureGlobal({ seed: 20270501, numRuns: 5_000 });

interface Node {
  readonly key: string | undefined;
  readonly value: unknown;
  /** The number of objects and arrays that contain the value, including itself. */
  readonly level: number;
}

/** Returns the value and all nested values. */
function nodesOf(value: unknown, key?: string, outer = 0): Node[] {
  const isNest = typeof value === 'object' && value !== null;
  const level = isNest ? outer + 1 : outer;
  const inner = isNest ? Object.entries(value) : [];
  const isList = Array.isArray(value);
  return [{ key, value, level }, ...inner.flatMap(([name, one]) => nodesOf(one, isList ? undefined : name, level))];
}

/** Returns whether no code point is a control character or a lone surrogate. */
function isReadable(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return codes.every((code) => code > 0x1f && !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xdfff));
}

/**
 * The rule of the contract: a readable string of at most 500, or an object of 2 KB and 3 levels without dangerous keys.
 */
function isAllowed(location: unknown): boolean {
  if (typeof location === 'string') return Array.from(location).length <= 500 && isReadable(location);
  if (typeof location !== 'object' || location === null || Array.isArray(location)) return false;
  const nodes = nodesOf(location);
  const keys = nodes.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const texts = [...keys, ...nodes.flatMap(({ value }) => (typeof value === 'string' ? [value] : []))];
  return (
    new TextEncoder().encode(JSON.stringify(location)).length <= 2_048 &&
    nodes.every(({ level }) => level <= 3) &&
    nodes.every(({ value }) => typeof value !== 'number' || Math.abs(value) < 2 ** 53) &&
    keys.every((key) => !key.startsWith('$') && key.split('.').length === 1) &&
    keys.every((key) => !['__proto__', 'constructor', 'prototype', '_bsontype'].includes(key)) &&
    texts.every(isReadable)
  );
}

const unusual = fc.constantFrom(
  '\u0000',
  '\n',
  '\t',
  '\u007f',
  '\u0085',
  '\ud800',
  '\udc00x',
  '🏈',
  'é',
  '\u200b',
  '$',
  '.',
);
const words = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 6 }) },
  fc.tuple(fc.string({ maxLength: 2 }), unusual, fc.string({ maxLength: 2 })).map((parts) => parts.join('')),
);
const keys = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z_$][a-z_]{0,4}$/) },
  words,
  fc.constantFrom(
    '$ne',
    '$',
    'a.b',
    '.',
    '__proto__',
    'constructor',
    'prototype',
    '_bsontype',
    'toString',
    '',
    '__proto',
    'Constructor',
  ),
);
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom('1e999', '-1e999', '-0', '1e-400'),
);
/** JSON text, because an object literal cannot have an own key `__proto__`. */
const { json } = fc.letrec<{ json: string; object: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      words.map((word) => JSON.stringify(word)),
      numbers.map(String),
      fc.constantFrom('true', 'false', 'null'),
    ),
    fc.array(tie('json'), { maxLength: 3 }).map((inner) => `[${inner.join()}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(keys, tie('json')), { maxLength: 3 })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
}));

describe('any JSON value as a location', () => {
  let allowed = 0;
  const check = (value: unknown) => {
    const expected = isAllowed(value);
    if (expected) allowed++;
    expect(locationProblem(value) === undefined).toBe(expected);
  };

  it('is accepted or rejected as the contract says', () => {
    fc.assert(fc.property(json, (text) => check(JSON.parse(text))));
    expect(allowed).toBeGreaterThan(500);
  });

  it('is measured in bytes as an object and in code points as a string', () => {
    const units = fc.constantFrom('x', 'é', '🏈', '"', '\\');
    const objects = fc.tuple(fc.integer({ min: 480, max: 2_100 }), units).map(([length, unit]) => unit.repeat(length));
    fc.assert(
      fc.property(objects, fc.boolean(), (text, nested) => check(nested ? { name: text } : text)),
      { numRuns: 1_000 },
    );
  });
});
