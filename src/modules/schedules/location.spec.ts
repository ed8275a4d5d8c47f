import { locationProblem } from './location.js';

const parsed = (json: string): unknown => JSON.parse(json);

describe('location', () => {
  it.each<unknown>([
    '',
    'Riverside Park',
    '🏈'.repeat(500),
    {},
    { a: null, b: true, c: ['x'] },
    { toString: 'kept', '': -0, Constructor: 1, a$: '$where', b: 'a.b', c: '__proto__' },
  ])('can be a string or an object: %j', (value) => {
    expect(locationProblem(value)).toBeUndefined();
  });

  it.each([1, true, null, undefined, [], [{ a: 1 }]])('rejects any other type: %j', (value) => {
    expect(locationProblem(value)).toBe('must be a string or an object');
  });

  it('rejects a string of more than 500 code points or with control characters', () => {
    expect(locationProblem('🏈'.repeat(501))).toBe('must have at most 500 characters');
    for (const control of ['\u0000', '\n', '\u001f', '\u007f', '\u009f']) {
      expect(locationProblem(`a${control}`)).toMatch(/control characters/);
      expect(locationProblem({ a: ['b', control] })).toMatch(/control characters/);
    }
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
});
