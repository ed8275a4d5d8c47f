import { mongo } from 'mongoose';
import { driverOptions } from './connection-options.js';

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
