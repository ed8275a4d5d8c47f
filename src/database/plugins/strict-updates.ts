import type { Schema } from 'mongoose';
import { onQuery, updates } from './hooks.js';

const strict = { strict: 'throw' } as const;

/** Makes an update of an immutable field throw: with only the option of the schema, Mongoose drops the change silently. */
export function strictUpdates(schema: Schema): void {
  schema.pre(updates, onQuery, function () {
    this.setOptions(strict);
  });
  schema.pre('bulkWrite', (_operations, options = {}) => {
    Object.assign(options, strict);
  });
}
