import { parseBearerToken, requestIdFrom } from './request-head.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('requestIdFrom', () => {
  it.each(['abcdefgh', 'A.b_c-1234', 'a'.repeat(128)])('keeps a valid ID: %s', (id) => {
    expect(requestIdFrom(id)).toBe(id);
  });

  it.each([
    undefined,
    '',
    'abcdefg',
    'a'.repeat(129),
    'with space',
    'a/b/c/d/e',
    'abcdefg\n',
    'abcdefgü',
    ['abcdefgh', 'ijklmnop'],
  ])('replaces an invalid ID: %j', (id) => {
    expect(requestIdFrom(id)).toMatch(uuid);
    expect(requestIdFrom(id)).not.toBe(requestIdFrom(id));
  });
});

describe('parseBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer a-b_c.d~e+f/g=', 'a-b_c.d~e+f/g='],
  ])('parses %j as %j', (header, credential) => {
    expect(parseBearerToken(header)).toBe(credential);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearerabc',
    'Basic abc',
    'Bearer a b',
    ' Bearer abc',
    'Bearer\tabc',
    'Token Bearer abc',
  ])('returns undefined for %j', (header) => {
    expect(parseBearerToken(header)).toBeUndefined();
  });
});
