import type { FieldChanges, RecordId } from '../database/record.js';

/** The changes of a stored record. */
export interface StoredUpdate<T> {
  readonly id: RecordId;
  readonly revision: number | undefined;
  readonly changes: FieldChanges<T>;
  /** The fields at this revision that the changes depend on. */
  readonly before: Partial<T>;
}

/** A new record, or the changes of a stored one. */
export type BulkWrite<T> = { readonly record: T } | StoredUpdate<T>;
