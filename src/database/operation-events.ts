import { channel } from 'node:diagnostics_channel';
import { mongo } from 'mongoose';

export interface MeasuredOperation {
  /** The metric label, such as `findOne` or `ping`. */
  readonly operation: string;
  readonly startedAt: number;
  /** Set if it failed. */
  error?: unknown;
}

/** Publishes a `MeasuredOperation` when an operation ends that is not one of a model. */
export const operationEnded = channel('database:operation-ended');

/** A record that may have changed. Without an ID, any record of the collection. */
export interface ChangedRecord {
  readonly collection: string;
  readonly id: string | undefined;
}

/**
 * Publishes a `ChangedRecord` for every update and deletion, so that no service can forget to invalidate caches.
 * Failed writes are published too, as they may have been applied, and so is a record read in a transaction, which may
 * show a change by another server that the caches do not know yet.
 */
export const recordChanged = channel('database:record-changed');

const changedIn = new WeakMap<mongo.ClientSession, ChangedRecord[]>();

/** Publishes that a record may have changed: now, or when its transaction has ended. */
export function publishChange(collection: string, filter: object, session?: mongo.ClientSession | null): void {
  const { _id } = filter as { _id?: unknown };
  const id = typeof _id === 'string' || _id instanceof mongo.ObjectId ? String(_id).toLowerCase() : undefined;
  if (!session) {
    recordChanged.publish({ collection, id } satisfies ChangedRecord);
    return;
  }
  const changed = changedIn.get(session) ?? [];
  if (changed.length === 0) session.once('ended', () => changed.forEach((record) => recordChanged.publish(record)));
  if (!changed.some((one) => one.collection === collection && one.id === id)) changed.push({ collection, id });
  changedIn.set(session, changed);
}

/** Runs an operation and publishes its outcome for the metrics. Commits and pings use it, too. */
export async function measureOperation<T>(operation: string, work: () => Promise<T>): Promise<T> {
  const measured: MeasuredOperation = { operation, startedAt: performance.now() };
  try {
    return await work();
  } catch (error) {
    measured.error = error;
    throw error;
  } finally {
    operationEnded.publish(measured);
  }
}
