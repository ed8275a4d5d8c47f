import { mongo, type Schema } from 'mongoose';
import { type BulkOperation, type Fields, fieldsOf, type OperationOptions, onQuery, reads, writes } from './hooks.js';

/**
 * Makes an operation throw if its filter has an undefined value, or does not name the organization although the records have
 * one and the options do not say `allTenants`. Either would match records of other organizations.
 */
export function tenant(schema: Schema): void {
  const isOwned = 'organizationId' in schema.paths;
  const check = (filter: Fields, { allTenants = false }: OperationOptions): void => {
    if (hasUndefined(filter)) throw new Error(`A filter has an undefined value: ${Object.keys(filter).join()}`);
    if (isOwned && !allTenants && !isOrganization(filter['organizationId']))
      throw new Error('A filter does not name the organization, and its options do not say allTenants');
  };
  schema.pre([...reads, ...writes, 'estimatedDocumentCount'], onQuery, function () {
    check(this.getFilter(), this.getOptions());
  });
  schema.pre('aggregate', function () {
    const [first] = this.pipeline() as { readonly $match?: Fields }[];
    check(first?.$match ?? {}, this.options);
  });
  schema.pre('bulkWrite', (operations, options = {}) => {
    for (const operation of operations as BulkOperation[]) check(fieldsOf(operation), options);
  });
}

const isOrganization = (value: unknown): boolean =>
  value instanceof mongo.ObjectId || Array.isArray((value as { $in?: unknown } | undefined)?.$in);

function hasUndefined(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUndefined);
  if (typeof value !== 'object' || value === null) return value === undefined;
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).some(hasUndefined);
}
