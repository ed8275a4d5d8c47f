import { mongo } from 'mongoose';

export const duplicateKey = 11000;

/**
 * Makes an update that matches no record fail (error 66) instead of inserting one: an insert must have the filter's `_id`.
 * MongoDB does not report which updates matched, but which failed.
 */
export const failIfMissing = { $setOnInsert: { _id: null } };
const immutableField = 66;
const rejectedCodes: unknown[] = [duplicateKey, immutableField];

/**
 * Returns the indexes of the writes that were rejected.
 * @throws every other error, such as a time limit, even if writes were also rejected
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
