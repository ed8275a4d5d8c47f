import { mongo, type Model } from 'mongoose';
import { insertOneRecord } from './operations.js';

const duplicateKeyCode = 11000;

/** A record was refused since another has the same value under a unique index. */
export class UniqueIndexViolation extends Error {
  constructor(
    readonly indexName: string,
    cause: unknown,
  ) {
    super(`Another record has the same value under ${indexName}`, { cause });
    this.name = 'UniqueIndexViolation';
  }
}

/**
 * Stores one record as it is; the model's schema checks its fields.
 * @throws UniqueIndexViolation where the database refuses it by a unique index
 */
export async function insertRecord<T extends object>(
  model: Model<T>,
  record: T,
  session?: mongo.ClientSession,
): Promise<void> {
  try {
    await insertOneRecord(model, record, session);
  } catch (error) {
    throw asUniqueIndexViolation(error) ?? error;
  }
}

/** A duplicate-key error of the driver as the house's own, by the name of the index. */
function asUniqueIndexViolation(error: unknown): UniqueIndexViolation | undefined {
  if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKeyCode) return undefined;
  const index = /index: (\S+)/.exec(error.message)?.[1] ?? 'an unknown index';
  return new UniqueIndexViolation(index, error);
}
