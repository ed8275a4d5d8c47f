import { type ConnectOptions, mongo } from 'mongoose';

/**
 * How the driver speaks to MongoDB. The times are chosen so that a database that is away, or hangs, fails a
 * request well before its deadline of 5 s.
 */
export const driverOptions = {
  serverSelectionTimeoutMS: 1_500,
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 1_000,
  socketTimeoutMS: 2_500,
  waitQueueTimeoutMS: 1_500,
  minPoolSize: 2,
  // What was written must be read: no other member is asked, whatever the address says.
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
  readConcern: { level: 'local' },
  writeConcern: { w: 'majority', journal: true },
} satisfies mongo.MongoClientOptions;

/** For what asks beside the requests: health checks, the buffers of uses. */
const connectionsBeside = 8;
/** Each costs the database a thread and up to a megabyte. */
const mostConnections = 512;

/**
 * How many connections a server may open: one for each request in service, so that requests wait in the queue that is fair
 * to callers and not in the driver's, which is not. Only as many are opened as are needed.
 */
export function poolSize(maxRequestsInFlight: number): number {
  return Math.min(mostConnections, maxRequestsInFlight + connectionsBeside);
}

/** How Mongoose uses it: nothing is made or kept waiting behind the back of the code. */
export const connectionOptions = {
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
  ...driverOptions,
} satisfies ConnectOptions;

/** Returns what is wrong with the address of a database, as the end of a sentence; connects to nothing. */
export function databaseUriFault(uri: string): string | undefined {
  try {
    new mongo.MongoClient(uri, driverOptions);
    if (/^[^/]+\/\/[^/?]+\/[^/?]/.test(uri)) return undefined;
    return 'must name a database, as in mongodb://host:port/database?replicaSet=name';
  } catch {
    if (/[?&]maxStalenessSeconds=/i.test(uri)) return 'must not have maxStalenessSeconds: only the primary is read';
    // The driver's own words may hold a part of the address, and so of a password.
    return 'must be like mongodb://host:port/database?replicaSet=name, with special characters percent-encoded';
  }
}
