import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { IdempotencyKey } from '../access/request-context.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

export const idempotencyHeader = 'idem-key';
/** The name of the header in the IETF's draft, which does the same. */
const standardHeader = 'Idempotency-Key';
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the idempotency key of a request, or undefined if it has none and none is required.
 * @throws ServiceError 40003 if the header is missing but required, or malformed, or if both names have different values
 */
export function idempotencyKeyOf(request: Request, required: boolean): IdempotencyKey | undefined {
  const standard = request.headers[standardHeader.toLowerCase()];
  const header = request.headers[idempotencyHeader] ?? standard;
  if (header === undefined) {
    if (!required) return undefined;
    throw new ServiceError(errorCatalogue.idempotencyKeyInvalid, { message: 'The idem-key header is required' });
  }
  if (typeof header !== 'string' || !visibleAscii.test(header))
    throw new ServiceError(errorCatalogue.idempotencyKeyInvalid);
  if (header !== (standard ?? header)) {
    const message = `The ${idempotencyHeader} and ${standardHeader} headers must have the same value`;
    throw new ServiceError(errorCatalogue.idempotencyKeyInvalid, { message });
  }
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
