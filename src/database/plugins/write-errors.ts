import { mongo, type Schema } from 'mongoose';
import { onQuery } from './hooks.js';

export const duplicateKey = 11000;

/** Thrown if a unique index rejects a record because another one has the same value. */
export class UniqueIndexViolation extends Error {
  constructor(
    readonly indexName: string,
    cause: unknown,
  ) {
    super(`Another record has the same value under ${indexName}`, { cause });
    this.name = 'UniqueIndexViolation';
  }
}

/** Returns whether a unique index has rejected a record. */
export function isViolationOf(index: string, error: unknown): boolean {
  return error instanceof UniqueIndexViolation && error.indexName === index;
}

/** Makes inserts and updates of one record throw a `UniqueIndexViolation` for a duplicate key. */
export function writeErrors(schema: Schema): void {
  const replace = (error: Error, _result: unknown, next: (error: Error) => void) => next(toWriteError(error));
  schema.post('insertMany', replace);
  schema.post('findOneAndUpdate', onQuery, replace);
}

function toWriteError(error: Error): Error {
  if (!(error instanceof mongo.MongoServerError)) return error;
  if (error.code === duplicateKey)
    return new UniqueIndexViolation(/index: (\S+)/.exec(error.message)?.[1] ?? 'an unknown index', error);
  // The driver wraps a lost connection in an error of the bulk write that an insert is to it.
  const wrapped: unknown = error instanceof mongo.MongoBulkWriteError && error.errorResponse;
  return wrapped instanceof Error ? wrapped : error;
}
