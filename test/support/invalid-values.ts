/** A value and its description for the test name. */
export type Case = readonly [what: string, value: unknown];

/** JSON values other than strings. */
export const nonStrings: readonly Case[] = [
  ['a number', 12],
  ['a boolean', true],
  ['a list', ['Hawks']],
  ['an object', { name: 'Hawks' }],
];

/** Strings that required and visible fields reject. */
export const unreadableStrings: readonly Case[] = [
  ['an empty text', ''],
  ['nothing but white space', ' \u00a0 '],
  ['nothing but invisible characters', '\u200b\u2060\u3164'],
  ['a control character inside', 'Haw\u0007ks'],
  ['a newline inside', 'Haw\nks'],
  ['a lone surrogate', 'Hawks \ud800'],
];

/** Values that are not http or https URLs of at most 2,048 characters. */
export const invalidUrls: readonly Case[] = [
  ['another scheme', 'ftp://cdn.example.com/logo.png'],
  ['a script', 'javascript:alert(1)'],
  ['inline data', 'data:image/png;base64,AAAA'],
  ['a relative path', '/logo.png'],
  ['no scheme', 'cdn.example.com/logo.png'],
  ['a scheme without a host', 'https://'],
  ['a space inside', 'https://cdn.example.com/my logo.png'],
  ['2,049 characters', urlOf(2049)],
  ['an empty text', ''],
  ['a number', 12],
];

/** Keys that could reach an object's prototype; rejected like every unknown field. */
export const prototypeKeys = ['__proto__', 'constructor', 'prototype'] as const;

/** An https URL of exactly this many characters. */
export function urlOf(length: number): string {
  const start = 'https://cdn.example.com/';
  return `${start}${'a'.repeat(length - start.length)}`;
}

/** A string of this many code points, each of two UTF-16 units. */
export function stringOf(codePoints: number): string {
  return '🏈'.repeat(codePoints);
}

/** A body as JSON with one more key, which an object literal could not have. */
export function withRawKey(body: object, key: string): string {
  return `${JSON.stringify(body).slice(0, -1)},"${key}":{"a":1}}`;
}
