import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: `<prefix><id: 12><secret: 32><CRC-32 of all before: 6>`, all but the prefix in base62. The checksum
 * tells a mistyped or made-up key from a real one without asking the database.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 12;
const secretLength = 32;
const checksumLength = 6;
const base62 = /^[0-9A-Za-z]+$/;

/** The parts of a key that looks like one. */
export interface ApiKeyParts {
  /** The prefix with the id: what the key is known by. */
  readonly keyPrefix: string;
  readonly secret: string;
}

/** A new id with its prefix, from a secure source of chance. */
export function newKeyPrefix(livePrefix: string): string {
  return livePrefix + randomBase62(idLength);
}

/** A new secret, of 190 bits, from a secure source of chance. */
export function newSecret(): string {
  return randomBase62(secretLength);
}

/** The whole key, as its holder sends it. */
export function formatApiKey({ keyPrefix, secret }: ApiKeyParts): string {
  const body = keyPrefix + secret;
  return body + checksumOf(body);
}

/** The parts of a presented key; undefined where its shape or its checksum is wrong. */
export function parseApiKey(livePrefix: string, presented: string): ApiKeyParts | undefined {
  const length = livePrefix.length + idLength + secretLength + checksumLength;
  if (presented.length !== length || !presented.startsWith(livePrefix)) return undefined;
  if (!base62.test(presented.slice(livePrefix.length))) return undefined;
  const body = presented.slice(0, -checksumLength);
  if (presented.slice(-checksumLength) !== checksumOf(body)) return undefined;
  const secretBegins = livePrefix.length + idLength;
  return { keyPrefix: body.slice(0, secretBegins), secret: body.slice(secretBegins) };
}

/**
 * The first 16 bits of a secret's SHA-256, in hexadecimal digits: kept beside the argon2id hash, they tell 65,535 of 65,536
 * wrong secrets for a microsecond instead of 20 ms. Of the secret's 190 bits they leave 174 to whoever reads the database.
 */
export function secretTagOf(secret: string): string {
  // In one step: an object of the hash would hold memory that the collector does not know of.
  return hash('sha256', secret, 'hex').slice(0, 4);
}

/** CRC-32 (as in zlib), in six base62 digits, the highest first. */
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
