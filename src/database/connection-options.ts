import type { ConnectOptions, mongo } from 'mongoose';

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
