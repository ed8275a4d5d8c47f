import type { Connection } from 'mongoose';
import { Transactions } from '../../src/database/transaction.js';

/** Transactions of a connection that a test has opened itself. */
export function transactionsOn(connection: Connection): Transactions {
  return new Transactions(connection);
}
