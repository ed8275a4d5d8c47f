import { parseBearerToken } from './api-request.js';

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
