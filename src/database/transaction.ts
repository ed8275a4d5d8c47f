import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import type { ConfirmAccess, DeadlineSignal } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { measured, writeTimeLimit } from './operations.js';

export type Session = mongo.ClientSession;

const writeConflict = 112;
const illegalOperation = 20;
const attempts = 12;
const pauseMilliseconds = 15;
const options: mongo.TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority' },
  maxCommitTimeMS: writeTimeLimit,
};

/** The caller on whose behalf something is written. */
export interface WriteContext {
  /** Aborted when the request has timed out. */
  readonly signal?: DeadlineSignal | undefined;
  readonly confirmAccess?: ConfirmAccess | undefined;
}

/**
 * Rejects writes of a request that has already timed out, or whose caller has lost access since it was authenticated.
 * @throws ServiceError 50301, or 401 as the access guard
 */
export async function assertMayWrite({ signal, confirmAccess }: WriteContext): Promise<void> {
  await confirmAccess?.();
  if (signal?.aborted !== true) return;
  const message = 'The request was refused before it came to its writing';
  throw new ServiceError(errorCatalogue.databaseUnavailable, { message, retryAfterSeconds: 1 });
}

/** Runs work in a transaction: all of it is applied, or nothing. */
@Injectable()
export class Transactions {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Runs `work` for somebody, again where another transaction was in the way, for at most some hundred milliseconds of
   * waiting. Nothing of it stays where their time is over before it is committed.
   * The work must do its operations one after the other, and nothing that reaches beyond the database.
   * @throws ServiceError 50302 where the conflict does not end, 50301 on a database that is no replica set or where the time is
   * over; whatever the work throws
   */
  async run<T>(context: WriteContext, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.connection.startSession();
    try {
      for (let attempt = 1; ; attempt++) {
        session.startTransaction(options);
        try {
          await assertMayWrite(context);
          const result = await work(session);
          await assertMayWrite(context);
          await measured('commitTransaction', () => commit(session));
          return result;
        } catch (error) {
          if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
          if (isNoReplicaSet(error)) {
            const message = 'The database is no replica set, so that this cannot be written there';
            throw new ServiceError(errorCatalogue.databaseUnavailable, { message, cause: error });
          }
          if (!isConflict(error)) throw error;
          if (attempt === attempts) {
            throw new ServiceError(errorCatalogue.overloaded, {
              message: 'Others are writing the same records; try again',
              retryAfterSeconds: 1,
              cause: error,
            });
          }
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds * attempt * Math.random()));
      }
    } finally {
      await session.endSession();
    }
  }
}

/** The server's «Transaction numbers are only allowed on a replica set member or mongos», or what the driver makes of it. */
function isNoReplicaSet(error: unknown): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  return error.code === illegalOperation || error.message.includes('does not support retryable writes');
}

function isConflict(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === writeConflict;
}

/** A commit whose outcome is unknown may be asked again: it happens once. */
async function commit(session: Session): Promise<void> {
  try {
    await session.commitTransaction();
  } catch (error) {
    const unknown = error instanceof mongo.MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
    if (!unknown) throw error;
    await session.commitTransaction();
  }
}
