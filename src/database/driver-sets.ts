import type { mongo } from 'mongoose';
import { Bag } from '../common/bag.js';

/** Where the driver's client keeps what is to be ended when it closes; none of it is public. */
interface DriverClient {
  readonly s?: { activeSessions: Iterable<unknown>; activeCursors: Iterable<unknown> };
}

/**
 * Lets the driver (7.8) keep its sessions and cursors in bags: each operation puts one of them into a set and takes it out again, and
 * with the answers that they hold all of them would live until the next whole garbage collection. Call it before the
 * client connects.
 * @throws Error where the driver has changed and this has to be looked at anew
 */
export function keepInBags(client: mongo.MongoClient): void {
  const { s } = client as unknown as DriverClient;
  if (!(s?.activeSessions instanceof Set && s.activeCursors instanceof Set))
    throw new Error('The driver of MongoDB keeps its sessions and cursors in another way: see driver-sets.ts');
  s.activeSessions = new Bag<unknown>();
  s.activeCursors = new Bag<unknown>();
}
