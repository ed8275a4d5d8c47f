import { locationProblem } from './location.js';
import fc from 'fast-check';

const parsed = (json: string): unknown => JSON.parse(json);

describe('location', () => {
  it.each<unknown>([
    '',
    'Riverside Park',
    '🏈'.repeat(500),
    {},
    { latitude: 37.8, longitude: -122.27 },
    { a: null, b: true, c: ['x'] },
    { toString: 'kept' },
  ])('can be a string or an object: %j', (value) => {
    expect(locationProblem(value)).toBeUndefined();
  });

  it.each([1, true, null, undefined, [], [{ a: 1 }]])('rejects any other type: %j', (value) => {
    expect(locationProblem(value)).toBe('must be a string or an object');
  });

  it('rejects a string of more than 500 code points or with control characters', () => {
    expect(locationProblem('🏈'.repeat(501))).toBe('must have at most 500 characters');
    expect(locationProblem('a\u0000')).toMatch(/control characters/);
    expect(locationProblem({ a: 'a\u0000' })).toMatch(/control characters/);
    expect(locationProblem({ a: '\ud800' })).toMatch(/lone surrogate/);
  });

  it('rejects an object of more than 2,048 bytes as JSON', () => {
    const filled = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    expect(locationProblem(filled(2_048))).toBeUndefined();
    expect(locationProblem(filled(2_049))).toBe('must have at most 2048 bytes as JSON');
    expect(locationProblem({ a: 'ü'.repeat(1_021) })).toBe('must have at most 2048 bytes as JSON');
  });

  it('rejects an object of more than three levels', () => {
    expect(locationProblem({ a: { b: { c: 1 } } })).toBeUndefined();
    expect(locationProblem({ a: { b: { c: { d: 1 } } } })).toBe('must be nested at most 3 levels deep');
    expect(locationProblem({ a: { b: { c: [] } } })).toBe('must be nested at most 3 levels deep');
    expect(locationProblem({ a: [[[]]] })).toBe('must be nested at most 3 levels deep');
  });

  it.each([
    ...['{"$where": 1}', '{"a": {"$gt": 1}}', '{"a": [{"$gt": 1}]}', '{"a.b": 1}', '{"a": {"b.": 1}}'],
    ...[
      '{"__proto__": 1}',
      '{"a": {"constructor": 1}}',
      '{"a": [{"prototype": 1}]}',
      '{"_bsontype": "ObjectId"}',
      '{"a\\u0000b": 1}',
    ],
  ])('rejects a key that the database or careless code would interpret: %s', (json) => {
    expect(locationProblem(parsed(json))).toMatch(/^must not have a key/);
  });

  it('rejects a number that loses digits in JSON, at any level', () => {
    const largest = Number.MAX_SAFE_INTEGER;
    expect(locationProblem({ most: largest, least: -largest })).toBeUndefined();
    for (const number of [largest + 1, -largest - 1, Infinity])
      expect(locationProblem({ a: [{ b: number }] })).toMatch(/^must only contain numbers from/);
  });

  it('accepts such characters in values, and a dollar sign inside a key', () => {
    expect(locationProblem({ a$: '$where', b: 'a.b', c: '__proto__' })).toBeUndefined();
  });
});

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
