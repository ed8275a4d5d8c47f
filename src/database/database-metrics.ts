import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo, STATES } from 'mongoose';
import { Metrics } from '../observability/metrics.js';
import { onOperations } from './operation-events.js';
import { UniqueIndexViolation } from './plugins/write-errors.js';

/** Error codes that callers handle: duplicate key and write conflict. */
const expectedCodes: ReadonlySet<unknown> = new Set([11000, 112]);

/**
 * Collects metrics of the connection pool from the driver's events, and of operations from what Mongoose traces. The driver's
 * command events are not used because the driver parses every response a second time for them.
 */
@Injectable()
export class DatabaseMetrics implements OnApplicationShutdown {
  private readonly pool = { connections: 0, inUse: 0, waiting: 0 };
  private readonly stopMeasuring = onOperations(({ operation }) => {
    const startedAt = performance.now();
    return (thrown) => {
      const error = thrown instanceof UniqueIndexViolation ? thrown.cause : thrown;
      const isExpected = error instanceof mongo.MongoServerError && expectedCodes.has(error.code);
      const seconds = (performance.now() - startedAt) / 1_000;
      this.metrics.recordDatabaseOperation(operation, seconds, error !== undefined && !isExpected);
    };
  });

  constructor(
    private readonly metrics: Metrics,
    @InjectConnection() connection: Connection,
  ) {
    metrics.registerGauges({
      ffapi_database_connected: () => connection.readyState === STATES.connected,
      ffapi_database_pool_connections: () => this.pool.connections,
      ffapi_database_pool_in_use: () => this.pool.inUse,
      ffapi_database_pool_waiting: () => this.pool.waiting,
    });
  }

  onApplicationShutdown(): void {
    this.stopMeasuring();
  }

  /** Counts the connections of a client; call it before the client connects. */
  observe(client: mongo.MongoClient): void {
    const { pool } = this;
    client.on('connectionCreated', () => pool.connections++);
    client.on('connectionClosed', () => pool.connections--);
    client.on('connectionCheckOutStarted', () => pool.waiting++);
    client.on('connectionCheckedOut', () => {
      pool.waiting--;
      pool.inUse++;
    });
    client.on('connectionCheckOutFailed', () => {
      pool.waiting--;
      this.metrics.checkoutFailures.inc();
    });
    client.on('connectionCheckedIn', () => pool.inUse--);
  }
}
