import { type Model, mongo, type QueryFilter } from 'mongoose';
import { writeTimeLimit } from '../config/time-windows.js';
import { duplicateKey, UniqueIndexViolation } from './plugins/write-errors.js';

/**
 * Makes an update that matches no record fail (error 66) instead of inserting one: an insert must have the filter's `_id`.
 * MongoDB does not report which updates matched, but which failed.
 */
const failIfMissing = { $set: { _id: { $cond: [{ $gt: ['$createdAt', null] }, '$_id', null] } } };
const immutableField = 66;
const rejectedCodes: unknown[] = [duplicateKey, immutableField];

const unordered = { ordered: false, throwOnValidationError: true } as const;

/**
 * Inserts records, and updates one record per filter, with one unordered write each. Returns the indexes of inserts that a
 * unique index rejected, and of updates that matched no record.
 */
export async function writeUnordered<T>(
  model: Model<T>,
  writes: readonly (
    { readonly record: T } | { readonly filter: QueryFilter<T>; readonly pipeline: readonly object[] }
  )[],
): Promise<ReadonlySet<number>> {
  const records = new Map<number, T>();
  const updates = new Map<number, object>();
  for (const [index, write] of writes.entries()) {
    if ('record' in write) records.set(index, write.record);
    else {
      const update = [failIfMissing, ...write.pipeline];
      updates.set(index, { updateOne: { filter: write.filter, update, upsert: true, setDefaultsOnInsert: false } });
    }
  }
  const inserting = { ...unordered, lean: true, maxTimeMS: writeTimeLimit } as const;
  const notInserted = await rejectedOf(records, (all) => model.insertMany(all, inserting));
  return new Set([...notInserted, ...(await rejectedOf(updates, (all) => model.bulkWrite(all as never, unordered)))]);
}

async function rejectedOf<W>(writes: ReadonlyMap<number, W>, send: (writes: W[]) => Promise<unknown>) {
  if (writes.size === 0) return [];
  const rejected = await send([...writes.values()]).then(
    () => new Set<number>(),
    (error: unknown) => toRejected(error instanceof UniqueIndexViolation ? error.cause : error),
  );
  return [...writes.keys()].filter((_index, at) => rejected.has(at));
}

/**
 * Returns the indexes of the writes of a bulk write that were rejected.
 * @throws every other error
 */
export function toRejected(error: unknown): Set<number> {
  if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
  const problems = [error.writeErrors].flat();
  const other = problems.find(({ code }) => !rejectedCodes.includes(code)) ?? error.result.getWriteConcernError();
  if (other !== undefined)
    throw new mongo.MongoServerError({ message: other.errmsg ?? 'Write failed', code: other.code });
  // A lost connection is wrapped in the error; an error of the whole command is copied into it.
  const wrapped: unknown = error.errorResponse;
  if (problems.length === 0) throw wrapped instanceof Error ? wrapped : error;
  return new Set(problems.map(({ index }) => index));
}
