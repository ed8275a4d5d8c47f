import { channel } from 'node:diagnostics_channel';
import { mongo, type SortOrder } from 'mongoose';
import { assertFilter, assertRecord, assertUpdate, type CheckedModel } from './schema-rules.js';

/**
 * The operations that requests wait for, sent by the driver itself under the rules of the model's schema. Mongoose would
 * build a query or a document for each, which costs more than the driver's whole part of it.
 */

/**
 * No write may work longer on the database, in milliseconds. Otherwise one that the database holds up is applied long after its
 * request was answered 503. Shorter than the driver's socket timeout, so that the database gives up first.
 */
export const writeTimeLimit = 2_000;

/** How an operation ended. */
export interface EndedOperation {
  /** As Mongoose names it. */
  readonly operation: string;
  readonly seconds: number;
  readonly error: unknown;
}

/** Publishes an `EndedOperation` for every operation. */
export const operationEnded = channel('database:operation-ended');

/** A record that may have changed; without an ID any record of the collection. */
export interface ChangedRecord {
  readonly collection: string;
  readonly id: string | undefined;
}

/**
 * Publishes a `ChangedRecord` after every update and deletion, also after one that failed, since it may have been applied even so, and
 * after every transaction that read a record, since it may have found a change of another server. Caches are invalidated by it, so that
 * no service can forget to.
 */
export const recordChanged = channel('database:record-changed');

/** Records of transactions that have not ended. */
const changedIn = new WeakMap<mongo.ClientSession, ChangedRecord[]>();

/** A unique index rejected a record because another one has the same value. */
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

/** Which part of the records is read, and how long that may take. */
export interface ReadOptions {
  readonly projection: Readonly<Record<string, number>>;
  /** In milliseconds, on the database. */
  readonly maxTimeMS: number;
  readonly session?: mongo.ClientSession | undefined;
  /** Defaults to the connection's. */
  readonly readConcern?: ReadConcernLevel | undefined;
}

/**
 * `majority` returns only what no failover can take back. `snapshot` does, too, and reads all batches of a result at one
 * moment, so that it never mixes two transactions; only a replica set has it.
 */
export type ReadConcernLevel = 'majority' | 'snapshot';

/** The one record that matches, or null. */
export function findOneRecord<R>(model: CheckedModel, filter: object, options: ReadOptions): Promise<R | null> {
  assertFilter(model, filter);
  if (options.session !== undefined) publishChange(model, filter, options.session);
  return measured('findOne', () => collectionOf(model).findOne(filter, forReading(options))) as Promise<R | null>;
}

/** The records that match, in order. */
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
  return measured('find', () => collectionOf(model).find(filter, forReading(options)).toArray()) as Promise<R[]>;
}

/** How many records match. */
export function countRecords(
  model: CheckedModel,
  filter: object,
  options: { readonly maxTimeMS: number; readonly hint?: mongo.Hint },
): Promise<number> {
  assertFilter(model, filter);
  return measured('countDocuments', () => collectionOf(model).countDocuments(filter, options));
}

/**
 * Stores a new record.
 * @throws UniqueIndexViolation if another record has the same value under a unique index
 */
export async function insertRecord(model: CheckedModel, record: object, session?: mongo.ClientSession): Promise<void> {
  assertRecord(model, record);
  try {
    await measured('save', () => collectionOf(model).insertOne(record, forWriting({ session })));
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
  await measured('insertMany', () => collectionOf(model).insertMany(records, forWriting({ session })));
}

/** Deletes all records that match. */
export async function deleteManyRecords(
  model: CheckedModel,
  filter: object,
  session: mongo.ClientSession,
): Promise<void> {
  assertFilter(model, filter);
  publishChange(model, {}, session);
  await measured('deleteMany', () => collectionOf(model).deleteMany(filter, forWriting({ session })));
}

/** Changes the one record that matches in a single atomic step; what the projection shows of it afterwards, or null. */
export async function findOneAndUpdateRecord<R>(
  model: CheckedModel,
  filter: object,
  update: object,
  { projection, session }: Omit<ReadOptions, 'maxTimeMS'>,
): Promise<R | null> {
  assertFilter(model, filter);
  const isPipeline = Array.isArray(update);
  if (!isPipeline) assertUpdate(model, update);
  const operators = isPipeline ? update : withoutEmpty(update);
  const options = forWriting({ projection, session, returnDocument: 'after' as const });
  const send = () => collectionOf(model).findOneAndUpdate(filter, operators, options) as Promise<R | null>;
  try {
    return await measured('findOneAndUpdate', send);
  } finally {
    publishChange(model, filter, session);
  }
}

/** Publishes that a record may have changed: now, or once when the transaction has ended. */
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

/** An operator without fields would be an error on older databases. */
function withoutEmpty(update: object): object {
  return Object.fromEntries(Object.entries(update).filter(([, fields]) => Object.keys(fields as object).length > 0));
}

/** Mongoose's own handle: it refuses where the connection was never opened. */
function collectionOf(model: CheckedModel): mongo.Collection {
  return model.collection as unknown as mongo.Collection;
}

function forReading<T extends ReadOptions>({ readConcern, ...options }: T) {
  return withSession({ ...options, ...(readConcern && { readConcern: { level: readConcern } }) });
}

function forWriting<T extends { session?: mongo.ClientSession | undefined }>(options: T) {
  return withSession({ ...options, ignoreUndefined: true, maxTimeMS: writeTimeLimit });
}

/** Leaves `session` out if it is undefined, which the driver would take for a session. */
function withSession<T extends { session?: mongo.ClientSession | undefined }>({ session, ...options }: T) {
  return session === undefined ? options : { ...options, session };
}

/** Runs an operation and publishes how it ended, for the metrics. Queries of Mongoose itself go through it, too. */
export async function measured<T>(operation: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  let error: unknown;
  try {
    return await work();
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    operationEnded.publish({ operation, seconds: (performance.now() - begun) / 1_000, error } satisfies EndedOperation);
  }
}
