import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo, STATES } from 'mongoose';
import { Metrics } from '../observability/metrics.js';
import { type MeasuredOperation, operationEnded } from './operation-events.js';
import { UniqueIndexViolation } from './plugins/write-errors.js';

/** Error codes that callers handle: duplicate key and write conflict. */
const expectedCodes: ReadonlySet<unknown> = new Set([11000, 112]);
/** The channels on which Mongoose traces operations of models. */
const traced = ['query', 'aggregate', 'model:insertMany', 'model:bulkWrite'].map((name) => `tracing:mongoose:${name}`);

/**
 * Collects metrics of the connection pool from the driver's events, and of operations from what Mongoose traces and from
 * `operationEnded`. The driver's command events are not used because the driver parses every response a second time for them.
 */
@Injectable()
export class DatabaseMetrics implements OnApplicationShutdown {
  private readonly pool = { connections: 0, inUse: 0, waiting: 0 };

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
    operationEnded.subscribe(this.onOperationEnd);
    for (const name of traced) {
      subscribe(`${name}:start`, this.onOperationStart);
      subscribe(`${name}:asyncEnd`, this.onOperationEnd);
    }
  }

  onApplicationShutdown(): void {
    operationEnded.unsubscribe(this.onOperationEnd);
    for (const name of traced) {
      unsubscribe(`${name}:start`, this.onOperationStart);
      unsubscribe(`${name}:asyncEnd`, this.onOperationEnd);
    }
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

  private readonly onOperationStart = (message: unknown): void => {
    Object.assign(message as object, { startedAt: performance.now() });
  };

  private readonly onOperationEnd = (message: unknown): void => {
    const { operation, startedAt, error: thrown } = message as MeasuredOperation;
    const error = thrown instanceof UniqueIndexViolation ? thrown.cause : thrown;
    const isExpected = error instanceof mongo.MongoServerError && expectedCodes.has(error.code);
    const seconds = (performance.now() - startedAt) / 1_000;
    this.metrics.recordDatabaseOperation(operation, seconds, error !== undefined && !isExpected);
  };
}
