import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type request from 'supertest';
import { unknownId } from './http-routes.js';
import { type Operation, operations } from './operations.js';
import type { TestOrganization } from './organization.js';

/** Every operation of both documents that has a body. */
export const bodyOperations = operations.filter(({ body }) => body !== undefined);

/** Returns the maximum size of an operation's body in bytes. */
export function bodyLimitOf({ row: { bodyLimit = 102_400 } }: Operation): number {
  return bodyLimit;
}

/** Sends a body unchanged, with unknown IDs in the path: records are looked for after the body is checked. */
export function sendBody(
  { server, key }: TestOrganization,
  { method, path, caller }: Operation,
  body: string | Buffer,
  headers: object = {},
): request.Test {
  const target = path.replace(/\{\w+\}/g, unknownId);
  const call = caller === 'adminToken' ? server.asSuperAdmin(method, target) : server.call(method, target);
  if (caller === 'apiKey') void call.set('Authorization', `Bearer ${key.apiKey}`);
  void call.set({ 'Content-Type': 'application/json', ...headers });
  return call.serialize((bytes) => bytes as string).send(body as string);
}

/** How a valid body is changed before it is sent. */
export interface HostileBody {
  readonly what: string;
  readonly of: (json: string) => string | Buffer;
  readonly headers?: Record<string, string>;
}

const whole = (what: string, body: string | Buffer): HostileBody => ({ what, of: () => body });
const changed = (what: string, of: HostileBody['of']): HostileBody => ({ what, of });
const coded = (encoding: string, of: HostileBody['of'], what = encoding): HostileBody => {
  return { what, of, headers: { 'Content-Encoding': encoding } };
};
const typed = (type: string, of: HostileBody['of'] = (json) => json): HostileBody => {
  return { what: type, of, headers: { 'Content-Type': type } };
};
const bytes = (...values: number[]) => Buffer.from(values);
const utf16 = (json: string) => Buffer.from(json, 'utf16le');
const nested = (levels: number) => `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
/** Inserts bytes into the first string of a valid body. */
const within = (inner: Buffer) => (json: string) => {
  const place = json.indexOf('"') + 2;
  return Buffer.concat([Buffer.from(json.slice(0, place)), inner, Buffer.from(json.slice(place))]);
};

const escaped = (text: string) => text.replace(/[a-z]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

/** Bodies that are equivalent to the valid one. */
export const harmlessBodies: readonly HostileBody[] = [
  changed('white space around it', (json) => ` \t\r\n${json}\n\n`),
  changed('every letter of its texts escaped', (json) => json.replace(/"[^"]*"/g, escaped)),
  changed('a byte order mark', (json) => `\ufeff${json}`),
  typed('APPLICATION/JSON ; Charset="UTF-8"'),
  coded('identity', (json) => json),
  coded('gzip', gzipSync),
  coded('deflate', deflateSync),
  coded('br', brotliCompressSync),
];

/** Bodies that are not a JSON object in UTF-8: 40000. */
export const unreadableBodies: readonly HostileBody[] = [
  ...['   ', '{', '{}{}', 'null', '0', '""', '[]', 'NaN', '{"a":0x10}', '{a:1}'].map((text) => whole(text, text)),
  changed('its second half missing', (json) => json.slice(0, json.length / 2)),
  changed('a comma too many', (json) => json.replace(/\}$/, ',}')),
  changed('two byte order marks', (json) => `\ufeff\ufeff${json}`),
  changed('a lone surrogate in bytes', within(bytes(0xed, 0xa0, 0x80))),
  changed('UTF-16 with its mark', (json) => utf16(`\ufeff${json}`)),
  changed('gzip that says nothing of it', gzipSync),
  coded('gzip', (json) => json, 'no gzip'),
  coded('gzip', (json) => gzipSync(json).subarray(0, -12), 'half of gzip'),
  whole('33 levels of lists', nested(33)),
  whole('257 fields in an object', `{"deep":[{${Array.from({ length: 257 }, (_, key) => `"${key}":1`).join()}}]}`),
  whole('50,000 levels of lists', nested(50_000)),
  whole('100,000 brackets that are never closed', '['.repeat(100_000)),
];

/** Bodies with an unsupported type or encoding: 41500. */
export const unsupportedBodies: readonly HostileBody[] = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'application/ld+json', 'application', '*/*'].map((type) =>
    typed(type),
  ),
  typed('application/json; charset=latin1'),
  typed('application/json; charset=utf-16le', utf16),
  coded('compress', (json) => json),
  coded('gzip, gzip', (json) => gzipSync(gzipSync(json))),
];

/** 50 MB packed into some KB. */
const spaces = Buffer.alloc(50_000_000, ' ');
const bombs = {
  gzip: gzipSync(spaces),
  br: brotliCompressSync(spaces, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** Bodies above the limit: 41300. */
export function oversizedBodies(limit: number): readonly HostileBody[] {
  return [
    changed(`${limit + 1} bytes`, (json) => json.padEnd(limit + 1)),
    whole('as many levels of lists', nested(limit / 2 + 1)),
    changed('ten times the limit', (json) => json.padEnd(10 * limit)),
    coded('gzip', (json) => gzipSync(json.padEnd(limit + 1)), 'a byte too many in gzip'),
    coded('gzip', () => bombs.gzip, '50 MB in gzip'),
    coded('br', () => bombs.br, '50 MB in br'),
  ];
}

/** JSON values of about this size that take long to walk, compare or match; some have a value per 33 bytes. */
export function costlyValues(bytes: number): readonly { readonly what: string; readonly json: string }[] {
  const repeated = (entry: string, count: number) => `[${Array(Math.floor(count)).fill(entry).join(',')}]`;
  const few = bytes / 33;
  const list = (entry: string) => {
    const values = entry.split(/[[{,]/).length;
    return { what: `a list of ${entry}`, json: repeated(entry, few / values) };
  };
  const names = (count: number) => Array.from({ length: count }, (_, index) => `"_${index.toString(36)}":{}`).join(',');
  const text = (what: string, unit: string) => {
    return { what, json: JSON.stringify(unit.repeat(bytes / Buffer.byteLength(unit))) };
  };
  return [
    { what: 'more values than allowed', json: repeated('[]', bytes / 3) },
    ...['0', '{"":[]}', '[[[[[[[[]]]]]]]]', '{"__proto__":1}'].map(list),
    { what: 'many names', json: `{${names(few / 2)}}` },
    { what: '32,000 names', json: `{${names(32_000)}}` },
    text('spaces', ' '),
    text('blanks', '\u200b'),
    text('emoji', '🏈'),
    text('an address', 'a@a.'),
    text('a URL', 'http://a%41/'),
  ];
}
