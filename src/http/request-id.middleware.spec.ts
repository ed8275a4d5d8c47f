import { requestIdFrom } from './request-id.middleware.js';

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
