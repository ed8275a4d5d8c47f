import type { ConnectOptions } from 'mongoose';

/**
 * How this server speaks to MongoDB. The times are chosen so that a database that is away, or hangs, fails a
 * request well before its deadline of 5 s.
 */
export const connectionOptions = {
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
  serverSelectionTimeoutMS: 1_500,
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 1_000,
  socketTimeoutMS: 2_500,
  waitQueueTimeoutMS: 1_500,
  minPoolSize: 2,
  retryReads: true,
  retryWrites: true,
  readConcern: { level: 'local' },
  writeConcern: { w: 'majority', journal: true },
} satisfies ConnectOptions;
