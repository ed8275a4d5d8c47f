import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { mongo, MongooseError } from 'mongoose';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ErrorFilter } from '../common/errors/error.filter.js';
import { ServiceError } from '../common/errors/service-error.js';

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

/** Responds with 503 if the database is unavailable, and passes every other database error to the `ErrorFilter`. */
@Catch(mongo.MongoError, MongooseError)
export class DatabaseErrorFilter implements ExceptionFilter {
  constructor(private readonly errors: ErrorFilter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    if (!isDatabaseUnavailable(error)) this.errors.catch(error, host);
    else this.errors.catch(new ServiceError(errorCatalogue.databaseUnavailable, { cause: error }), host);
  }
}
