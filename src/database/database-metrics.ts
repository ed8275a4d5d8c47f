import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import { Metrics } from '../common/metrics/metrics.js';
import { type EndedOperation, operationEnded } from './operations.js';

/** Where Mongoose tells of its operations. */
const kinds = ['query', 'aggregate', 'model:save', 'model:insertMany', 'model:bulkWrite'];

/** Mongoose's number for a connection that stands. */
const connected = 1;

/** A unique index refused a record, or another transaction was in the way: whoever asked deals with it. */
const expectedCodes: ReadonlySet<unknown> = new Set([11000, 112]);

/** What Mongoose hands over of one operation: the same object at its start and at its end. */
interface TracedOperation {
  readonly operation: string;
  readonly error?: unknown;
}

/**
 * Measures the database as this process meets it: the pool by the driver's events, the operations by the house's own
 * channel and Mongoose's. Not by the driver's command events: for those it reads every answer a second time.
 */
@Injectable()
export class DatabaseMetrics implements OnApplicationShutdown {
  private readonly begun = new WeakMap<object, number>();
  private readonly pool = { connections: 0, inUse: 0, waiting: 0 };

  constructor(
    private readonly metrics: Metrics,
    @InjectConnection() connection: Connection,
  ) {
    metrics.read({
      databaseConnected: () => isConnected(connection),
      databasePool: () => this.pool,
    });
    subscribe(operationEnded.name, this.onOperation);
    for (const kind of kinds) {
      subscribe(`tracing:mongoose:${kind}:start`, this.onStart);
      subscribe(`tracing:mongoose:${kind}:asyncEnd`, this.onEnd);
    }
  }

  onApplicationShutdown(): void {
    unsubscribe(operationEnded.name, this.onOperation);
    for (const kind of kinds) {
      unsubscribe(`tracing:mongoose:${kind}:start`, this.onStart);
      unsubscribe(`tracing:mongoose:${kind}:asyncEnd`, this.onEnd);
    }
  }

  /** Follows the pool of a client, from before it connects. */
  follow(client: mongo.MongoClient): void {
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
      this.metrics.connectionRefused();
    });
    client.on('connectionCheckedIn', () => pool.inUse--);
  }

  /** Measures what Mongoose does not tell of. */
  async measure<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    let failed = false;
    try {
      return await work();
    } catch (error) {
      failed = !isExpected(error);
      throw error;
    } finally {
      this.metrics.databaseOperationEnded(operation, secondsSince(begun), failed);
    }
  }

  private readonly onOperation = (told: unknown): void => {
    const { operation, seconds, error } = told as EndedOperation;
    this.metrics.databaseOperationEnded(operation, seconds, error !== undefined && !isExpected(error));
  };

  private readonly onStart = (operation: unknown): void => {
    this.begun.set(operation as TracedOperation, performance.now());
  };

  private readonly onEnd = (told: unknown): void => {
    const { operation, error } = told as TracedOperation;
    const begun = this.begun.get(told as TracedOperation);
    if (begun === undefined) return;
    this.metrics.databaseOperationEnded(operation, secondsSince(begun), error !== undefined && !isExpected(error));
  };
}

function isConnected({ readyState }: { readonly readyState: number }): boolean {
  return readyState === connected;
}

function isExpected(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && expectedCodes.has(error.code);
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1_000;
}
