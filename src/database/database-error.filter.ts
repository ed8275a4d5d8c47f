import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { mongo, MongooseError } from 'mongoose';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ErrorFilter } from '../common/errors/error.filter.js';
import { ServiceError } from '../common/errors/service-error.js';

/**
 * Server codes of a member that is no primary (any more), is stopping, gave up for lack of time, or has no snapshot yet, as in
 * the moment after an index was built.
 */
const awayCodes: ReadonlySet<unknown> = new Set([
  6, 7, 50, 64, 89, 91, 134, 189, 239, 246, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** True where the database could not be reached, or could not answer in time. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof MongooseError)
    return error.message.includes('initial connection') || isDatabaseAway(error.cause);
  if (error instanceof mongo.MongoServerError) return awayCodes.has(error.code) || isRetryable(error);
  return error instanceof mongo.MongoError && !(error instanceof mongo.MongoInvalidArgumentError);
}

function isRetryable(error: mongo.MongoServerError): boolean {
  return error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError');
}

/** Answers 503 where the database is away, and leaves every other error of it to the one filter. */
@Catch(mongo.MongoError, MongooseError)
export class DatabaseErrorFilter implements ExceptionFilter {
  constructor(private readonly errors: ErrorFilter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const away = { retryAfterSeconds: 1, cause: error };
    this.errors.catch(isDatabaseAway(error) ? new ServiceError(errorCatalogue.databaseUnavailable, away) : error, host);
  }
}
