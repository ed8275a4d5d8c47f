import type { Request } from 'express';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { canonicalJson } from '../validation/json.js';
import { idempotencyKeyOf } from './idempotency.interceptor.js';

const path = '/v1/public-api/teams';
const aRequest = (key: string | undefined, body: unknown = {}, over: Partial<Request> = {}) =>
  ({ headers: key === undefined ? {} : { 'idem-key': key }, method: 'POST', path, body, ...over }) as Request;
const keyOf = (...args: Parameters<typeof aRequest>) => idempotencyKeyOf(aRequest(...args), true);

describe('canonical JSON', () => {
  it('is the same for equal values with any order of keys', () => {
    const one = canonicalJson({ b: [{ y: 1, x: 'a' }], a: { d: null, c: true } });
    expect(canonicalJson({ a: { c: true, d: null }, b: [{ x: 'a', y: 1 }] })).toBe(one);
    expect(one).toBe('{"a":{"c":true,"d":null},"b":[{"x":"a","y":1}]}');
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: 'x","b":"y' }, { a: 'x', b: 'y' }],
    [{ a: { b: 1 } }, { 'a.b': 1 }],
  ])('differs for different values: %j and %j', (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other));
  });
});

describe('an idem-key', () => {
  it('is stored as a hash, and the body as a fingerprint', () => {
    const key = keyOf('import-0001', { name: 'Jordan Lee' });
    expect(key).toEqual({
      route: `POST ${path}`,
      keyHash: expect.stringMatching(/^[\w-]{43}$/) as string,
      fingerprint: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    expect(JSON.stringify(key)).not.toMatch(/import-0001|Jordan/);
  });

  it('has a fingerprint that depends on the body but not on the order of its keys', () => {
    const first = keyOf('key', { name: 'a', position: ['QB'] });
    expect(keyOf('key', { position: ['QB'], name: 'a' })).toEqual(first);
    expect(keyOf('key', { position: ['QB'], name: 'b' })?.fingerprint).not.toBe(first?.fingerprint);
  });

  it('depends on path and method, but not on how the path is written', () => {
    expect(keyOf('key', {}, { path: '/v1/public-api/schedules' })?.route).not.toBe(keyOf('key')?.route);
    expect(keyOf('key', {}, { method: 'PUT' })?.route).not.toBe(keyOf('key')?.route);
    for (const same of ['/V1/Public-API/teams/', '/v1/public-api/%74eams'])
      expect(keyOf('key', {}, { path: same })).toEqual(keyOf('key'));
    expect(keyOf('KEY')?.keyHash).not.toBe(keyOf('key')?.keyHash);
  });

  it.each(['a', '!', '~', 'x'.repeat(255), 'a,b', '"quoted"'])('is accepted: %s', (key) => {
    expect(keyOf(key)).toBeDefined();
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'ü', 'a\u007f', 'a\t', 'a\n'])(
    'is rejected without 1 to 255 visible ASCII characters: %j',
    (key) => {
      for (const required of [true, false]) {
        expect(() => idempotencyKeyOf(aRequest(key), required)).toThrow(errorCatalogue.idempotencyKeyInvalid.message);
      }
    },
  );

  it('can be sent as Idempotency-Key, or under both names with the same value', () => {
    const standard = { 'idempotency-key': 'key' };
    expect(keyOf(undefined, {}, { headers: standard })).toEqual(keyOf('key'));
    expect(keyOf(undefined, {}, { headers: { ...standard, 'idem-key': 'key' } })).toEqual(keyOf('key'));
    for (const other of ['other', ''])
      expect(() => keyOf(undefined, {}, { headers: { ...standard, 'idem-key': other } })).toThrow(/idem-key/);
    expect(() => keyOf(undefined, {}, { headers: { 'idempotency-key': 'a b' } })).toThrow(/visible ASCII/);
  });

  it('is rejected if missing and required, and undefined if optional', () => {
    expect(() => idempotencyKeyOf(aRequest(undefined), true)).toThrow('The idem-key header is required');
    expect(idempotencyKeyOf(aRequest(undefined), false)).toBeUndefined();
  });
});
