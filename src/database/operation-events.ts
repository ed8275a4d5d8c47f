import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mongo } from 'mongoose';

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

/** What Mongoose publishes of an operation of a model, such as `findOne`. */
interface ModelOperation {
  readonly operation: string;
  readonly collection: string;
  readonly database: string;
  readonly serverAddress: string;
  readonly serverPort: number;
  /** Set if it failed. */
  readonly error?: unknown;
}

/** The channels on which Mongoose traces operations of models. */
const traced = ['query', 'aggregate', 'model:insertMany', 'model:bulkWrite'].map((name) => `tracing:mongoose:${name}`);

/**
 * Calls a function when an operation of a model starts, in the async context of its caller, and the function that this
 * returns, when the operation has ended. Returns a function that stops this.
 */
export function onOperations(
  onStart: (operation: ModelOperation) => ((error: unknown) => void) | undefined,
): () => void {
  const ends = new WeakMap<object, (error: unknown) => void>();
  const start = (message: unknown): void => {
    const onEnd = onStart(message as ModelOperation);
    if (onEnd) ends.set(message as ModelOperation, onEnd);
  };
  const end = (message: unknown): void => ends.get(message as ModelOperation)?.((message as ModelOperation).error);
  for (const name of traced) {
    subscribe(`${name}:start`, start);
    subscribe(`${name}:asyncEnd`, end);
  }
  return () => {
    for (const name of traced) {
      unsubscribe(`${name}:start`, start);
      unsubscribe(`${name}:asyncEnd`, end);
    }
  };
}
