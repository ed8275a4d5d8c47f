/** What a value is, in words for a test's name, and the value. */
export type Case = readonly [what: string, value: unknown];

/** JSON values of another type than text. */
export const nonStrings: readonly Case[] = [
  ['a number', 12],
  ['a boolean', true],
  ['a list', ['Hawks']],
  ['an object', { name: 'Hawks' }],
];

/** Texts that no required or visible field takes. */
export const unreadableStrings: readonly Case[] = [
  ['an empty text', ''],
  ['nothing but white space', ' \u00a0 '],
  ['nothing but invisible characters', '\u200b\u2060\u3164'],
  ['a control character inside', 'Haw\u0007ks'],
  ['a newline inside', 'Haw\nks'],
  ['a lone surrogate', 'Hawks \ud800'],
];

/** Values that are no http or https URL of at most 2,048 characters. */
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

/** The keys that reach an object's prototype in careless code: to be refused like every unknown field. */
export const prototypeKeys = ['__proto__', 'constructor', 'prototype'] as const;

/** An https URL of exactly so many characters. */
export function urlOf(length: number): string {
  const start = 'https://cdn.example.com/';
  return `${start}${'a'.repeat(length - start.length)}`;
}

/** A text of so many code points, each of them two UTF-16 units. */
export function stringOf(codePoints: number): string {
  return '🏈'.repeat(codePoints);
}

/** A body as JSON text with one more key at its end, which an object literal could not carry. */
export function withRawKey(body: object, key: string): string {
  return `${JSON.stringify(body).slice(0, -1)},"${key}":{"a":1}}`;
}
