import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

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
const nested = (levels: number, open = '[', close = ']') =>
  `{"deep":${open.repeat(levels - 1)}${open === '[' ? '' : '1'}${close.repeat(levels - 1)}}`;
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
  ...['   ', '\n', '{', '{}{}', 'null', 'true', '0', '1e999', '""', '[]', '[{}]', 'undefined', 'NaN'].map((text) =>
    whole(text, text),
  ),
  ...['{"a":NaN}', '{"a":-Infinity}', '{"a":0x10}', '{"a":+1}', '{"a":01}', '{"a":.5}', '{"a":1.}', '{a:1}'].map(
    (text) => whole(text, text),
  ),
  changed('a list of it', (json) => `[${json}]`),
  changed('a text of it', (json) => JSON.stringify(json)),
  changed('twice', (json) => json + json),
  changed('its last byte missing', (json) => json.slice(0, -1)),
  changed('its second half missing', (json) => json.slice(0, json.length / 2)),
  changed('a word behind it', (json) => `${json} true`),
  changed('NUL behind it', (json) => `${json}\u0000`),
  changed('a comma too many', (json) => json.replace(/\}$/, ',}')),
  changed('a comment before it', (json) => `/* a */${json}`),
  changed('a comment behind it', (json) => `${json}// a`),
  changed('a prefix against scripts', (json) => `)]}',\n${json}`),
  changed('single quotes', (json) => json.replaceAll('"', "'")),
  changed('white space that is none of JSON', (json) => `\u00a0${json}\u2028`),
  changed('two byte order marks', (json) => `\ufeff\ufeff${json}`),
  changed('an unknown escape', (json) => json.replace('"', '"\\x41')),
  changed('half an escape', (json) => json.replace('"', '"\\u12.')),
  changed('a newline within a text', within(bytes(0x0a))),
  changed('NUL within a text', within(bytes(0x00))),
  changed('a lone surrogate in bytes', within(bytes(0xed, 0xa0, 0x80))),
  changed('Latin-1', within(bytes(0xe4))),
  changed('an overlong slash', within(bytes(0xc0, 0xaf))),
  changed('a character beyond Unicode', within(bytes(0xf4, 0x90, 0x80, 0x80))),
  changed('bytes that are never UTF-8', within(bytes(0xff, 0xfe))),
  changed('UTF-16', utf16),
  changed('UTF-16 with its mark', (json) => utf16(`\ufeff${json}`)),
  changed('UTF-16, the high byte first', (json) => utf16(json).swap16()),
  changed('gzip that says nothing of it', gzipSync),
  coded('gzip', (json) => json, 'no gzip'),
  coded('gzip', (json) => gzipSync(json).subarray(0, -12), 'half of gzip'),
  coded('deflate', gzipSync, 'gzip as deflate'),
  coded('br', (json) => json, 'no br'),
  whole('33 levels of lists', nested(33)),
  whole('33 levels of objects', nested(33, '{"a":', '}')),
  whole('4,000 levels of lists', nested(4_000)),
  whole('15,000 levels of objects', nested(15_000, '{"a":', '}')),
  whole('50,000 levels of lists', nested(50_000)),
  whole('100,000 brackets that are never closed', '['.repeat(100_000)),
];

/** Bodies with an unsupported type or encoding: 41500. */
export const unsupportedBodies: readonly HostileBody[] = [
  ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/ld+json', 'multipart/form-data'].map(
    (type) => typed(type),
  ),
  ...['application/json5', 'application', '*/*', 'application/json; charset=latin1'].map((type) => typed(type)),
  typed('application/json; charset=utf-16', (json) => utf16(`\ufeff${json}`)),
  typed('application/json; charset=utf-16le', utf16),
  typed('application/json; charset=utf-32', (json) => json),
  typed('application/json; charset=utf-7', (json) => json),
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
