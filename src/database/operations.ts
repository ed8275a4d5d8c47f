import { channel } from 'node:diagnostics_channel';
import type { mongo, SortOrder } from 'mongoose';
import { type CheckedModel, demandFilter, demandRecord, demandUpdate } from './schema-rules.js';

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

/** Where every operation is told of when it ends. */
export const operationEnded = channel('database:operation-ended');

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
  demandFilter(model, filter);
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
  demandFilter(model, filter);
  return measured('find', () => collectionOf(model).find(filter, forReading(options)).toArray()) as Promise<R[]>;
}

/** How many records match. */
export function countRecords(
  model: CheckedModel,
  filter: object,
  options: { readonly maxTimeMS: number; readonly hint?: mongo.Hint },
): Promise<number> {
  demandFilter(model, filter);
  return measured('countDocuments', () => collectionOf(model).countDocuments(filter, options));
}

/** Stores a new record. */
export async function insertOneRecord(
  model: CheckedModel,
  record: object,
  session?: mongo.ClientSession,
): Promise<void> {
  demandRecord(model, record);
  await measured('save', () => collectionOf(model).insertOne(record, forWriting({ session })));
}

/** Stores new records in one command. */
export async function insertManyRecords(
  model: CheckedModel,
  records: readonly object[],
  session: mongo.ClientSession,
): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) demandRecord(model, record);
  await measured('insertMany', () => collectionOf(model).insertMany(records, forWriting({ session })));
}

/** Deletes all records that match. */
export async function deleteManyRecords(
  model: CheckedModel,
  filter: object,
  session: mongo.ClientSession,
): Promise<void> {
  demandFilter(model, filter);
  await measured('deleteMany', () => collectionOf(model).deleteMany(filter, forWriting({ session })));
}

/** Changes the one record that matches in a single atomic step; what the projection shows of it afterwards, or null. */
export function findOneAndUpdateRecord<R>(
  model: CheckedModel,
  filter: object,
  update: object,
  { projection, session }: Omit<ReadOptions, 'maxTimeMS'>,
): Promise<R | null> {
  demandFilter(model, filter);
  const isPipeline = Array.isArray(update);
  if (!isPipeline) demandUpdate(model, update);
  const operators = isPipeline ? update : withoutEmpty(update);
  const options = forWriting({ projection, session, returnDocument: 'after' as const });
  return measured('findOneAndUpdate', () =>
    collectionOf(model).findOneAndUpdate(filter, operators, options),
  ) as Promise<R | null>;
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
  return given({ ...options, ...(readConcern && { readConcern: { level: readConcern } }) });
}

function forWriting<T extends { session?: mongo.ClientSession | undefined }>(options: T) {
  return given({ ...options, ignoreUndefined: true, maxTimeMS: writeTimeLimit });
}

/** The driver takes what is named `undefined` for given. */
function given<T extends { session?: mongo.ClientSession | undefined }>({ session, ...options }: T) {
  return session === undefined ? options : { ...options, session };
}

/** Runs an operation and publishes how it ended, for the metrics. */
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
