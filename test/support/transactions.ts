import type { Connection } from 'mongoose';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { DatabaseMetrics } from '../../src/database/database-metrics.js';
import { Transactions } from '../../src/database/transaction.js';

/** Transactions of a connection that a test has opened itself. */
export function transactionsOn(connection: Connection): Transactions {
  return new Transactions(connection, new DatabaseMetrics(new Metrics(), connection));
}
