import { type ConnectOptions, mongo } from 'mongoose';
import { driverWait, socketTimeout } from '../config/time-windows.js';

/** Options of the driver. An unreachable or hanging database fails a request well before its deadline. */
export const driverOptions = {
  serverSelectionTimeoutMS: driverWait,
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 1_000,
  socketTimeoutMS: socketTimeout,
  waitQueueTimeoutMS: driverWait,
  minPoolSize: 2,
  // Requests must read what they wrote, so only the primary is read, even if the connection string says otherwise.
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
  readConcern: { level: 'local' },
  writeConcern: { w: 'majority', journal: true },
} satisfies mongo.MongoClientOptions;

/** Connections for health checks and buffered writes. */
const backgroundConnections = 8;
/** Each connection costs the database a thread and up to 1 MB. */
const maxConnections = 512;

/**
 * Returns the maximum size of the connection pool: one connection per request in service, so that requests wait in the
 * server's fair queue, not in the driver's. The driver opens only as many as are needed.
 */
export function poolSize(maxRequestsInFlight: number): number {
  return Math.min(maxConnections, maxRequestsInFlight + backgroundConnections);
}

/** Options of Mongoose's connection: it neither creates collections and indexes nor buffers commands. */
export const connectionOptions = {
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
  ignoreUndefined: true,
  ...driverOptions,
} satisfies ConnectOptions;

/** Validates a connection string without connecting. */
export function databaseUriProblem(uri: string): string | undefined {
  try {
    new mongo.MongoClient(uri, driverOptions);
    if (/^[^/]+\/\/[^/?]+\/[^/?]/.test(uri)) return undefined;
    return 'must name a database, as in mongodb://host:port/database?replicaSet=name';
  } catch {
    if (/[?&]maxStalenessSeconds=/i.test(uri)) return 'must not set maxStalenessSeconds: all reads go to the primary';
    // The driver's message may contain a part of the connection string, and thus of a password.
    return 'must be like mongodb://host:port/database?replicaSet=name, with special characters percent-encoded';
  }
}
