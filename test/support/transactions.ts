import type { Connection } from 'mongoose';
import { Transactions } from '../../src/database/transaction.js';

/** Transactions on a connection that a test opened. */
export function transactionsOn(connection: Connection): Transactions {
  return new Transactions(connection);
}
