import type { mongo } from 'mongoose';
import { Bag } from '../common/bag.js';

/** Where the driver's client keeps what is to be ended when it closes; none of it is public. */
interface DriverClient {
  readonly s?: { activeSessions: Iterable<unknown>; activeCursors: Iterable<unknown> };
}

/**
 * Lets the driver (7.8) keep its sessions and cursors in bags: each operation puts one of them into a set and takes it out again, and
 * with the answers that they hold all of them would live until the next whole garbage collection. Call it before the
 * client connects; calling it again does nothing. A driver that keeps them in another way is left as it is.
 */
export function keepInBags(client: mongo.MongoClient): void {
  const { s } = client as unknown as DriverClient;
  if (s?.activeSessions instanceof Set) s.activeSessions = new Bag(s.activeSessions);
  if (s?.activeCursors instanceof Set) s.activeCursors = new Bag(s.activeCursors);
}
