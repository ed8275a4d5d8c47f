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

/** How Mongoose uses it: nothing is made or kept waiting behind the back of the code. */
export const connectionOptions = {
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
  ...driverOptions,
} satisfies ConnectOptions;
