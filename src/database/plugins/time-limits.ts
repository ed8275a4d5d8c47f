import type { ClientSession, Schema } from 'mongoose';
import { onQuery, writes } from './hooks.js';

/**
 * Maximum time of a write on the database, in milliseconds. Without it, the database could apply a write long after its
 * request failed with 503. Shorter than the driver's socket timeout, so that the database gives up first.
 */
export const writeTimeLimit = 2_000;

/** The most records that are read with one command; MongoDB would cut off a reply of more than 16 MB. */
export const maxBatch = 5_000;
/** The records of a reply to a read without a limit: they are parsed in one turn of the event loop, in some milliseconds. */
const batchSize = 1_000;

/** Limits the time of writes and the size of replies. Inserts say their time limit, as their hooks do not get the options. */
export function timeLimits(schema: Schema): void {
  schema.pre(writes, onQuery, function () {
    this.maxTimeMS(writeTimeLimit);
  });
  schema.pre('bulkWrite', (_operations, options = {}) => {
    Object.assign(options, { maxTimeMS: writeTimeLimit });
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
