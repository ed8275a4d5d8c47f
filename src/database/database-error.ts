import { type Connection, mongo, MongooseError } from 'mongoose';

/** Codes of a member that is not (or no longer) the primary, is stopping, ran out of time or has no snapshot yet. */
const unavailableCodes: ReadonlySet<unknown> = new Set([
  6, 7, 50, 64, 89, 91, 134, 189, 239, 246, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

const authenticationFailed = 18;

/** Returns whether an error means that the database is unreachable or too slow. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof MongooseError)
    return error.message.includes('initial connection') || isDatabaseUnavailable(error.cause);
  if (error instanceof mongo.MongoServerError) return unavailableCodes.has(error.code) || isRetryable(error);
  return error instanceof mongo.MongoError && !(error instanceof mongo.MongoInvalidArgumentError);
}

/**
 * Throws until the database has answered once: Mongoose has neither collections nor sessions before.
 * @throws MongoNotConnectedError, for which the client gets 503
 */
export function assertOpened({ db }: Pick<Connection, 'db'>): void {
  // Mongoose sets it when the first connection is open, and keeps it.
  if (!db) throw new mongo.MongoNotConnectedError('The database has not answered yet');
}

/** Returns why the database cannot be used, for operators: the driver's reason, without secrets. */
export function unavailableReason(error: unknown): string {
  const isLogin = error instanceof mongo.MongoServerError && error.code === authenticationFailed;
  return isLogin ? 'MongoDB rejects the user or password of MONGODB_URI' : (error as Error).message;
}

function isRetryable(error: mongo.MongoServerError): boolean {
  return error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError');
}
