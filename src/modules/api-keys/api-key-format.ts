import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Format of an API key: `<prefix><ID: 12><secret: 32><CRC-32 of everything before: 6>`, in base62 after the prefix. The
 * checksum rejects mistyped and invented keys without a database query.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 12;
const secretLength = 32;
const checksumLength = 6;
const base62 = /^[0-9A-Za-z]+$/;

export interface ApiKeyParts {
  /** The configured prefix and the ID, which identify the key. */
  readonly keyPrefix: string;
  readonly secret: string;
}

/** Returns a random new ID with its prefix. */
export function newKeyPrefix(prefix: string): string {
  return prefix + randomBase62(idLength);
}

/** Returns a random new secret of 190 bits. */
export function newSecret(): string {
  return randomBase62(secretLength);
}

/** Returns the complete key, as clients send it. */
export function formatApiKey({ keyPrefix, secret }: ApiKeyParts): string {
  const body = keyPrefix + secret;
  return body + checksumOf(body);
}

/** Returns the parts of a presented key, or undefined if its format or checksum is wrong. */
export function parseApiKey(prefix: string, presented: string): ApiKeyParts | undefined {
  const length = prefix.length + idLength + secretLength + checksumLength;
  if (presented.length !== length || !presented.startsWith(prefix)) return undefined;
  if (!base62.test(presented.slice(prefix.length))) return undefined;
  const body = presented.slice(0, -checksumLength);
  if (presented.slice(-checksumLength) !== checksumOf(body)) return undefined;
  const secretBegins = prefix.length + idLength;
  return { keyPrefix: body.slice(0, secretBegins), secret: body.slice(secretBegins) };
}

/**
 * Returns the first 16 bits of a secret's SHA-256 in hexadecimal. Stored with the argon2id hash, they reject 65,535 of
 * 65,536 wrong secrets in a microsecond instead of 20 ms. Someone who reads the database still has to guess
 * 174 of the 190 bits.
 */
export function secretTagOf(secret: string): string {
  // `hash` in one call: a Hash object would hold memory that the garbage collector does not count.
  return hash('sha256', secret, 'hex').slice(0, 4);
}

/** Returns the CRC-32 (as in zlib) in six base62 digits, highest first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
