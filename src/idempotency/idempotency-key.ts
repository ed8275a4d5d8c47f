import { hash } from 'node:crypto';
import type { Request } from 'express';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';

export const idempotencyHeader = 'idem-key';
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** One request that is to have its effect once, however often it is sent. */
export interface IdempotencyKey {
  /** Method and full path: the same key on another path is another key. */
  readonly scope: string;
  readonly keyHash: string;
  /** A hash of the parsed body, so that the order of its keys does not matter. */
  readonly fingerprint: string;
}

/**
 * The idempotency key of a request; undefined where none was sent and none is required.
 * @throws ServiceError 40003 where it is missing or malformed
 */
export function idempotencyKeyOf(request: Request, required: boolean): IdempotencyKey | undefined {
  const header = request.headers[idempotencyHeader];
  if (header === undefined) {
    if (!required) return undefined;
    throw new ServiceError(errorCatalogue.idempotencyKeyInvalid, { message: 'The idem-key header is required' });
  }
  if (typeof header !== 'string' || !visibleAscii.test(header))
    throw new ServiceError(errorCatalogue.idempotencyKeyInvalid);
  return {
    // Decoded, so that the same path with escapes is the same path.
    scope: `${request.method} ${decodeURIComponent(request.path).toLowerCase().replace(/\/+$/, '')}`,
    keyHash: sha256(header),
    fingerprint: sha256(canonicalJson(request.body)),
  };
}

/** JSON with the keys of every object sorted, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

function sha256(text: string): string {
  // In one step: an object of the hash costs more than the hash.
  return hash('sha256', text, 'base64url');
}
