import { channel } from 'node:diagnostics_channel';
import { mongo, type SortOrder } from 'mongoose';
import { assertFilter, assertRecord, assertUpdate, type CheckedModel } from './schema-rules.js';

/**
 * The database operations, sent by the driver after a check against the model's schema. Mongoose would build a query or
 * a document for each, which costs more than the driver's own work.
 */

/**
 * Maximum time of a write on the database, in milliseconds. Without it, the database could apply a write long after its
 * request failed with 503. Shorter than the driver's socket timeout, so that the database gives up first.
 */
export const writeTimeLimit = 2_000;

/** The outcome of an operation. */
export interface EndedOperation {
  /** The metric label, such as `findOne` or `ping`. */
  readonly operation: string;
  readonly seconds: number;
  readonly error: unknown;
}

/** Publishes an `EndedOperation` for every operation. */
export const operationEnded = channel('database:operation-ended');

/** A record that may have changed. Without an ID, any record of the collection. */
export interface ChangedRecord {
  readonly collection: string;
  readonly id: string | undefined;
}

/**
 * Publishes a `ChangedRecord` after every update and deletion, so that no service can forget to invalidate caches.
 * Failed writes are published too, as they may have been applied, and so are records read in a transaction, which may
 * show a change by another server that the caches do not know yet.
 */
export const recordChanged = channel('database:record-changed');

/** Changed records of open transactions. */
const changedIn = new WeakMap<mongo.ClientSession, ChangedRecord[]>();

/** Thrown if a unique index rejects a record because another one has the same value. */
export class UniqueIndexViolation extends Error {
  constructor(
    readonly indexName: string,
    cause: unknown,
  ) {
    super(`Another record has the same value under ${indexName}`, { cause });
    this.name = 'UniqueIndexViolation';
  }
}

const duplicateKey = 11000;

/** Options of a read. */
export interface ReadOptions {
  readonly projection: Readonly<Record<string, number>>;
  /** Maximum time on the database, in milliseconds. */
  readonly maxTimeMS: number;
  readonly session?: mongo.ClientSession | undefined;
  /** Defaults to the connection's. */
  readonly readConcern?: ReadConcernLevel | undefined;
}

/**
 * `majority` returns only data that no failover can roll back. `snapshot` also reads all batches of a result at one
 * point in time, so that it never mixes two transactions; it needs a replica set.
 */
export type ReadConcernLevel = 'majority' | 'snapshot';

/** Finds the record that matches, or null. */
export function findOneRecord<R>(model: CheckedModel, filter: object, options: ReadOptions): Promise<R | null> {
  assertFilter(model, filter);
  if (options.session !== undefined) publishChange(model, filter, options.session);
  return measureOperation('findOne', () =>
    collectionOf(model).findOne(filter, forReading(options)),
  ) as Promise<R | null>;
}

/** Finds the records that match, in order. */
export function findRecords<R>(
  model: CheckedModel,
  filter: object,
  options: ReadOptions & {
    readonly sort: Readonly<Record<string, SortOrder>>;
    readonly skip?: number;
    readonly limit?: number;
  },
): Promise<R[]> {
  assertFilter(model, filter);
  return measureOperation('find', () => collectionOf(model).find(filter, forReading(options)).toArray()) as Promise<
    R[]
  >;
}

/** Runs an aggregation, which is not checked. */
export function aggregateRecords<R extends object>(
  model: CheckedModel,
  pipeline: object[],
  options: { readonly maxTimeMS: number },
): Promise<R[]> {
  return measureOperation('aggregate', () => collectionOf(model).aggregate<R>(pipeline, options).toArray());
}

/** Counts the records that match. */
export function countRecords(
  model: CheckedModel,
  filter: object,
  options: { readonly maxTimeMS: number; readonly hint?: mongo.Hint },
): Promise<number> {
  assertFilter(model, filter);
  return measureOperation('countDocuments', () => collectionOf(model).countDocuments(filter, options));
}

/**
 * Stores a new record.
 * @throws UniqueIndexViolation if another record has the same value under a unique index
 */
export async function insertRecord(model: CheckedModel, record: object, session?: mongo.ClientSession): Promise<void> {
  assertRecord(model, record);
  try {
    await measureOperation('save', () => collectionOf(model).insertOne(record, forWriting({ session })));
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKey) throw error;
    throw new UniqueIndexViolation(/index: (\S+)/.exec(error.message)?.[1] ?? 'an unknown index', error);
  }
}

/** Stores new records in one command. */
export async function insertManyRecords(
  model: CheckedModel,
  records: readonly object[],
  session: mongo.ClientSession,
): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) assertRecord(model, record);
  await measureOperation('insertMany', () => collectionOf(model).insertMany(records, forWriting({ session })));
}

/** Deletes all records that match. */
export async function deleteManyRecords(
  model: CheckedModel,
  filter: object,
  session: mongo.ClientSession,
): Promise<void> {
  assertFilter(model, filter);
  publishChange(model, filter, session);
  await measureOperation('deleteMany', () => collectionOf(model).deleteMany(filter, forWriting({ session })));
}

/** Updates the matching record atomically. Returns the updated fields of the projection, or null if none matches. */
export async function findOneAndUpdateRecord<R>(
  model: CheckedModel,
  filter: object,
  update: object,
  { projection, session }: Omit<ReadOptions, 'maxTimeMS'>,
): Promise<R | null> {
  assertFilter(model, filter);
  assertUpdate(model, update);
  const options = forWriting({ projection, session, returnDocument: 'after' as const });
  const send = () => collectionOf(model).findOneAndUpdate(filter, withoutEmpty(update), options) as Promise<R | null>;
  try {
    return await measureOperation('findOneAndUpdate', send);
  } finally {
    publishChange(model, filter, session);
  }
}

/** Updates one record per filter in one command, without invalidating caches; pipeline updates are not validated. */
export async function updateUncachedFields(
  model: CheckedModel,
  updates: readonly { readonly filter: object; readonly update: object }[],
): Promise<void> {
  if (updates.length === 0) return;
  for (const { filter, update } of updates) {
    assertFilter(model, filter);
    if (!Array.isArray(update)) assertUpdate(model, update);
  }
  const writes = updates.map((updateOne) => ({ updateOne }));
  const options = { ordered: false, maxTimeMS: writeTimeLimit };
  await measureOperation('bulkWrite', () => collectionOf(model).bulkWrite(writes, options));
}

/** Publishes that a record may have changed: now, or when its transaction has ended. */
function publishChange(model: CheckedModel, filter: { _id?: unknown }, session: mongo.ClientSession | undefined): void {
  const collection = collectionOf(model).collectionName;
  const id = filter._id instanceof mongo.ObjectId ? String(filter._id) : undefined;
  if (session === undefined) {
    recordChanged.publish({ collection, id } satisfies ChangedRecord);
    return;
  }
  const changed = changedIn.get(session) ?? [];
  if (changed.length === 0) session.once('ended', () => changed.forEach((record) => recordChanged.publish(record)));
  if (!changed.some((one) => one.collection === collection && one.id === id)) changed.push({ collection, id });
  changedIn.set(session, changed);
}

/** Removes operators without fields, which older databases reject. */
function withoutEmpty(update: object): object {
  return Object.fromEntries(Object.entries(update).filter(([, fields]) => Object.keys(fields as object).length > 0));
}

/** Returns Mongoose's collection, which rejects operations before the connection is opened. */
function collectionOf(model: CheckedModel): mongo.Collection {
  return model.collection as unknown as mongo.Collection;
}

function forReading<T extends ReadOptions>({ readConcern, ...options }: T) {
  return withSession({ ...options, ...(readConcern && { readConcern: { level: readConcern } }) });
}

function forWriting<T extends { session?: mongo.ClientSession | undefined }>(options: T) {
  return withSession({ ...options, ignoreUndefined: true, maxTimeMS: writeTimeLimit });
}

/** Removes an undefined `session`, which the driver would treat as a session. */
function withSession<T extends { session?: mongo.ClientSession | undefined }>({ session, ...options }: T) {
  return session === undefined ? options : { ...options, session };
}

/** Runs an operation and publishes its outcome for the metrics. Commits and pings use it, too. */
export async function measureOperation<T>(operation: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let error: unknown;
  try {
    return await work();
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    const seconds = (performance.now() - startedAt) / 1_000;
    operationEnded.publish({ operation, seconds, error } satisfies EndedOperation);
  }
}
