import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { IdempotencyKey } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';

export const idempotencyHeader = 'idem-key';
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the idempotency key of a request, or undefined if it has none and none is required.
 * @throws ServiceError 40003 if the header is missing but required, or malformed
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
    // Decoded, so that percent-escapes make no difference.
    scope: `${request.method} ${decodeURIComponent(request.path).toLowerCase().replace(/\/+$/, '')}`,
    keyHash: sha256(header),
    fingerprint: sha256(canonicalJson(request.body)),
  };
}

/** Returns JSON with sorted object keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

function sha256(text: string): string {
  // One-shot hashing, as creating a Hash object costs more than hashing.
  return hash('sha256', text, 'base64url');
}
