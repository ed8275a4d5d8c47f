import { createServer, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { parseBearerToken } from './api-request.js';
import { isDeeperThan } from './body.guard.js';
import { deadline } from './deadline.middleware.js';
import { mapPage, offsetOf } from './paging.js';
import { requestIdFrom } from './request-id.middleware.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const nested = (levels: number, inner: unknown = 1): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

describe('isDeeperThan', () => {
  it('counts objects and arrays', () => {
    expect(isDeeperThan(nested(32), 32)).toBe(false);
    expect(isDeeperThan(nested(33), 32)).toBe(true);
    expect(isDeeperThan({}, 1)).toBe(false);
    expect(isDeeperThan({ a: {} }, 1)).toBe(true);
    expect(isDeeperThan(1, 0)).toBe(false);
  });

  it('finds the deepest branch', () => {
    expect(isDeeperThan({ a: 1, b: [1, 2, nested(31)], c: null }, 32)).toBe(true);
    expect(isDeeperThan({ a: 1, b: [1, 2, nested(30)], c: null }, 32)).toBe(false);
  });

  it('handles any depth without a stack overflow', () => {
    expect(isDeeperThan(nested(200_000), 32)).toBe(true);
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

describe('requestIdFrom', () => {
  it.each(['abcdefgh', 'A.b_c-1234', 'a'.repeat(128)])('keeps a valid ID: %s', (id) => {
    expect(requestIdFrom(id)).toBe(id);
  });

  it.each([
    undefined,
    '',
    'short',
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

describe('a page', () => {
  it('starts after the entries of the previous pages', () => {
    expect(offsetOf({ page: 1, limit: 20 })).toBe(0);
    expect(offsetOf({ page: 3, limit: 100 })).toBe(200);
    expect(offsetOf({ page: 1_000_000, limit: 100 })).toBe(99_999_900);
  });

  it('keeps its total when its records are mapped', () => {
    expect(mapPage({ data: [1, 2], total: 7 }, String)).toEqual({ data: ['1', '2'], total: 7 });
  });
});

describe('deadline', () => {
  it.each([
    [2_300, 50302],
    [2_200, 50301],
  ])('after %i ms in the queue, responds %i', async (waitedMilliseconds, code) => {
    const server = createServer((request, response) => {
      const arrivedAt = performance.now() - 4_490;
      Object.assign(request, { arrivedAt, waitedMilliseconds, requestId: 'one' });
      deadline(request, response, () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
    expect(await json(answer)).toMatchObject({ error: code });
    server.close();
  });
});
