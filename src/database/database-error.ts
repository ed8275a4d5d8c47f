import { mongo, MongooseError } from 'mongoose';

/** Codes of a member that is not (or no longer) the primary, is stopping, ran out of time or has no snapshot yet. */
const unavailableCodes: ReadonlySet<unknown> = new Set([
  6, 7, 50, 64, 89, 91, 134, 189, 239, 246, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Returns whether an error means that the database is unreachable or too slow. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof MongooseError)
    return error.message.includes('initial connection') || isDatabaseUnavailable(error.cause);
  if (error instanceof mongo.MongoServerError) return unavailableCodes.has(error.code) || isRetryable(error);
  return error instanceof mongo.MongoError && !(error instanceof mongo.MongoInvalidArgumentError);
}

function isRetryable(error: mongo.MongoServerError): boolean {
  return error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError');
}
