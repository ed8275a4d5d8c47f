import type { Schema } from 'mongoose';
import { type BulkOperation, fieldsOf, type OperationOptions, onQuery, reads, updates } from './hooks.js';

/** Matches the records that are not deleted. The partial indexes of lists and names have exactly this condition. */
export const notDeleted = { deletedAt: null } as const;

/**
 * Hides deleted records, which have a time in `deletedAt`, from reads, counts and updates, unless the filter names `deletedAt`
 * or the options say `withDeleted`. Aggregations and deletions stay as they are.
 */
export function softDelete(schema: Schema): void {
  const hide = (filter: object, { withDeleted = false }: OperationOptions): void => {
    if (!withDeleted && !('deletedAt' in filter)) Object.assign(filter, notDeleted);
  };
  schema.pre([...reads, ...updates], onQuery, function () {
    hide(this.getFilter(), this.getOptions());
  });
  schema.pre('bulkWrite', (operations, options = {}) => {
    for (const operation of operations as BulkOperation[])
      if ('updateOne' in operation || 'updateMany' in operation) hide(fieldsOf(operation), options);
  });
}
