import { mongo } from 'mongoose';
import { driverOptions } from './connection-options.js';

/** What is wrong with an address of a database, as the end of a sentence, or undefined; nothing is connected. */
export function databaseUriFault(uri: string): string | undefined {
  try {
    new mongo.MongoClient(uri, driverOptions);
    return undefined;
  } catch {
    if (/[?&]maxStalenessSeconds=/i.test(uri)) return 'must not have maxStalenessSeconds: only the primary is read';
    // The driver's own words may hold a part of the address, and so of a password.
    return 'must be like mongodb://host:port/database?replicaSet=name, with special characters percent-encoded';
  }
}
