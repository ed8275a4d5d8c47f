import type { Schema } from 'mongoose';
import { type BulkOperation, onQuery, updates } from './hooks.js';

/**
 * Makes an update throw that changes an immutable field. Mongoose itself drops the change, and does not notice a part of a
 * field. An update pipeline is not checked: `assertMutable` checks the fields that one is built from.
 */
export function immutableFields(schema: Schema): void {
  const check = (update: unknown): void => {
    if (!Array.isArray(update)) assertMutable(schema, update as object);
  };
  schema.pre(updates, onQuery, function () {
    check(this.getUpdate());
  });
  schema.pre('bulkWrite', (operations) => {
    for (const operation of operations as BulkOperation[])
      for (const { update } of Object.values(operation)) if (update !== undefined) check(update);
  });
}

/** @throws Error if an update, by operator and name, has a field that is immutable or that the schema does not have */
export function assertMutable(schema: Schema, update: object): void {
  for (const [operator, fields] of Object.entries(update)) {
    // Says what an insert has.
    if (operator === '$setOnInsert') continue;
    if (!operator.startsWith('$')) throw new Error(`An update names ${operator} without an operator`);
    for (const name of Object.keys(fields as object)) {
      const field = schema.paths[name.split('.')[0] ?? name] as { options: { immutable?: boolean } } | undefined;
      if (field === undefined) throw new Error(`An update names ${name}, which the schema does not have`);
      if (name === '_id' || field.options.immutable === true)
        throw new Error(`An update changes ${name}, which is immutable`);
    }
  }
}
