import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import type { WriteContext } from '../access/request-context.js';
import { writeConflict } from '../errors/service-error.js';
import { assertOpened } from './database-error.js';
import { writeTimeLimit } from '../config/time-windows.js';

export type Session = mongo.ClientSession;

const maxAttempts = 12;
const backoffMilliseconds = 15;
const options: mongo.TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority' },
  maxCommitTimeMS: writeTimeLimit,
};

/** Runs work in a transaction, which is applied completely or not at all. */
@Injectable()
export class Transactions {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Runs `work`, and retries it while MongoDB says that nothing was applied, such as after a write conflict, with up to
   * 12 attempts and a few hundred milliseconds of backoff. It is rolled back if the request times out before the commit. The work must run its operations one after
   * the other, without side effects outside the database.
   * @throws ServiceError 50302 if the conflict persists, 50301 if the request has timed out; every error of the work
   */
  async run<T>(context: WriteContext, work: (session: Session) => Promise<T>): Promise<T> {
    assertOpened(this.connection);
    const session = await this.connection.startSession();
    try {
      for (let attempt = 1; ; attempt++) {
        session.startTransaction(options);
        try {
          await context.assertMayWrite();
          const result = await work(session);
          await context.assertMayWrite();
          await session.commitTransaction();
          return result;
        } catch (error) {
          if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
          if (!isTransient(error)) throw error;
          if (attempt === maxAttempts) throw writeConflict('Another request is writing the same records', error);
        }
        await new Promise((resolve) => setTimeout(resolve, backoffMilliseconds * attempt * Math.random()));
      }
    } finally {
      await session.endSession();
    }
  }
}

/** Network errors also have the label, but a retry would not wait until the database is reachable again. */
function isTransient(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.hasErrorLabel('TransientTransactionError');
}
