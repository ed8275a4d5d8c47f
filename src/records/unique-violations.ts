import { UniqueIndexViolation } from '../database/plugins/write-errors.js';
import type { RecordId } from '../database/record.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { externalIdIndexName } from './synced-record.schema.js';

/** Returns whether a unique index has rejected a record. */
export function isViolationOf(index: string, error: unknown): boolean {
  return error instanceof UniqueIndexViolation && error.indexName === index;
}

/** Throws 40905 instead of the violation of the index of external IDs, and every other error as it is. */
export function rejectTaken(error: unknown, other?: RecordId): never {
  if (!isViolationOf(externalIdIndexName, error)) throw error;
  const message =
    other === undefined ? errorCatalogue.externalIdTaken.message : `The record ${String(other)} has this externalId`;
  throw new ServiceError('externalIdTaken', { message, details: [{ field: 'externalId', message }], cause: error });
}
