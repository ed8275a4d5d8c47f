import type { ClientSession, Schema } from 'mongoose';
import { writeTimeLimit } from '../../config/time-windows.js';
import { onQuery, writes } from './hooks.js';

/** The most records that are read with one command; MongoDB would cut off a reply of more than 16 MB. */
export const maxBatch = 5_000;
/** The records of a reply to a read without a limit: they are parsed in one turn of the event loop, in some milliseconds. */
const batchSize = 1_000;

/**
 * `maxTimeMS`, because the database could otherwise apply a write long after its request failed with 503. `strict`, because
 * with only the option of the schema, Mongoose silently drops a change of an immutable field.
 */
const writeOptions = { maxTimeMS: writeTimeLimit, strict: 'throw' } as const;

/** Limits the size of replies, and sets the options of writes; inserts have theirs from `inserting`, as hooks do not get them. */
export function operationOptions(schema: Schema): void {
  schema.pre(writes, onQuery, function () {
    this.setOptions(writeOptions);
  });
  schema.pre('bulkWrite', (_operations, options = {}) => {
    Object.assign(options, writeOptions);
  });
  // With one batch for all, a result never mixes two transactions.
  schema.pre('find', onQuery, function () {
    const { limit = 0 } = this.getOptions();
    this.batchSize(limit > 0 && limit <= maxBatch ? limit : batchSize);
  });
  schema.pre('aggregate', function () {
    this.option({ batchSize });
  });
}

/** Returns the options of `insertMany`, which stores the records as they are. */
export function inserting(session?: ClientSession) {
  return { lean: true, maxTimeMS: writeTimeLimit, ...(session && { session }) } as const;
}
