import { type Connection, mongo, type SortOrder } from 'mongoose';
import { assertOpened } from './database-error.js';
import { batchSize, findDocuments, type MongooseCollection } from './find-command.js';
import { measureOperation, publishChange } from './operation-events.js';
import { duplicateKey, failIfMissing, toRejected } from './rejected-writes.js';
import { assertFilter, assertUpdate, type CheckedModel } from './schema-rules.js';

/**
 * The database operations, sent by the driver; filters and updates are checked against the model's schema first. Mongoose
 * would build a query or a document for each, which costs more than the driver's own work.
 */

/**
 * Maximum time of a write on the database, in milliseconds. Without it, the database could apply a write long after its
 * request failed with 503. Shorter than the driver's socket timeout, so that the database gives up first.
 */
export const writeTimeLimit = 2_000;

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

/** Maximum time of a query on the database, in milliseconds. */
const queryTimeLimit = 3_000;

export interface ReadOptions {
  readonly projection: Readonly<Record<string, number>>;
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
export async function findOneRecord<R>(model: CheckedModel, filter: object, options: ReadOptions): Promise<R | null> {
  assertFilter(model, filter);
  if (options.session !== undefined) publishChange(nameOf(model), filter, options.session);
  const [record] = await measureOperation('findOne', () => find<R>(model, filter, { ...options, limit: 1 }));
  return record ?? null;
}

export type FindOptions = ReadOptions & {
  readonly sort?: Readonly<Record<string, SortOrder>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly hint?: string;
  readonly collation?: mongo.CollationOptions;
  /** An unchecked condition, such as one with the database's clock (`$$NOW`). */
  readonly expression?: object | undefined;
};

/** Finds the records that match, in order if `sort` is given. */
export function findRecords<R>(model: CheckedModel, filter: object, options: FindOptions): Promise<R[]> {
  assertFilter(model, filter);
  return measureOperation('find', () => find(model, filter, options));
}

function find<R>(model: CheckedModel, filter: object, given: FindOptions): Promise<R[]> {
  const { readConcern, session, expression, ...others } = given;
  const concern = readConcern && { readConcern: { level: readConcern } };
  const options = { ...others, maxTimeMS: queryTimeLimit, ...concern, ...(session && { session }) };
  return findDocuments(collectionOf(model), withExpression(filter, expression), options) as Promise<R[]>;
}

const withExpression = (filter: object, $expr?: object): object =>
  $expr === undefined ? filter : { ...filter, $expr };

/** Runs an aggregation, which is not checked. */
export function aggregateRecords<R extends object>(model: CheckedModel, pipeline: object[]): Promise<R[]> {
  const options = { maxTimeMS: queryTimeLimit, batchSize };
  return measureOperation('aggregate', () => collectionOf(model).aggregate<R>(pipeline, options).toArray());
}

export function countRecords(model: CheckedModel, filter: object, hint?: mongo.Hint): Promise<number> {
  assertFilter(model, filter);
  const options = { maxTimeMS: queryTimeLimit, ...(hint && { hint }) };
  return measureOperation('countDocuments', () => collectionOf(model).countDocuments(filter, options));
}

/**
 * Stores a new record.
 * @throws UniqueIndexViolation if another record has the same value under a unique index
 */
export async function insertRecord(model: CheckedModel, record: object, session?: mongo.ClientSession): Promise<void> {
  const send = () => collectionOf(model).insertOne(record, forWriting({ session }));
  await measureOperation('save', send).catch(rejectDuplicate);
}

/** Throws a `UniqueIndexViolation` for a duplicate key, and every other error as it is. */
function rejectDuplicate(error: unknown): never {
  if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKey) throw error;
  throw new UniqueIndexViolation(/index: (\S+)/.exec(error.message)?.[1] ?? 'an unknown index', error);
}

/** Deletes all records that match, and stores others. */
export async function replaceRecords(
  model: CheckedModel,
  filter: object,
  records: readonly object[],
  session: mongo.ClientSession,
): Promise<void> {
  assertFilter(model, filter);
  publishChange(nameOf(model), filter, session);
  const options = forWriting({ session });
  await measureOperation('deleteMany', () => collectionOf(model).deleteMany(filter, options));
  if (records.length === 0) return;
  await measureOperation('insertMany', () => collectionOf(model).insertMany(records, options));
}

/** Deletes up to a number of the records that match, and returns how many. */
export async function deleteRecords(model: CheckedModel, filter: object, limit: number): Promise<number> {
  const found = await findRecords<{ _id: unknown }>(model, filter, { projection: { _id: 1 }, limit });
  if (found.length === 0) return 0;
  const ids: object = { _id: { $in: found.map(({ _id }) => _id) } };
  const send = () => collectionOf(model).deleteMany(ids, forWriting({}));
  await measureOperation('deleteMany', send).finally(() => publishChange(nameOf(model), filter));
  return found.length;
}

/** `sort`: which of several matches. */
type UpdateOptions = ReadOptions & Pick<FindOptions, 'expression'> & { readonly sort?: mongo.Sort };

/**
 * Updates the matching record atomically. Returns the updated fields of the projection, or null if none matches.
 * @param convert converts the validated update into the form that is sent
 * @throws UniqueIndexViolation if another record has the same value under a unique index
 */
export async function findOneAndUpdateRecord<R>(
  model: CheckedModel,
  filter: object,
  update: object,
  { projection, session, expression, sort }: UpdateOptions,
  convert: (update: object) => object = withoutEmpty,
): Promise<R | null> {
  assertFilter(model, filter);
  assertUpdate(model, update);
  const options = forWriting({ projection, session, returnDocument: 'after' as const, ...(sort && { sort }) });
  const query = withExpression(filter, expression);
  const send = () => collectionOf(model).findOneAndUpdate(query, convert(update), options) as Promise<R | null>;
  try {
    return await measureOperation('findOneAndUpdate', send).catch(rejectDuplicate);
  } finally {
    publishChange(nameOf(model), filter, session);
  }
}

/**
 * Inserts records, and updates one record per filter, with one unordered bulk write.
 * @returns the indexes of inserts that a unique index rejected, and of updates that matched no record
 */
export async function writeManyRecords(
  model: CheckedModel,
  writes: readonly ({ readonly record: object } | FilteredUpdate)[],
): Promise<ReadonlySet<number>> {
  const operations = writes.map((write) => {
    if ('record' in write) return { insertOne: { document: write.record } };
    const { filter, update } = write;
    assertFilter(model, filter);
    assertUpdate(model, update);
    return { updateOne: { filter, update: { ...withoutEmpty(update), ...failIfMissing }, upsert: true } };
  });
  const options = { ordered: false, ignoreUndefined: true, maxTimeMS: writeTimeLimit };
  const send = () => collectionOf(model).bulkWrite(operations, options);
  try {
    return await measureOperation('bulkWrite', () => send().then(() => new Set<number>(), toRejected));
  } finally {
    for (const write of writes) if ('filter' in write) publishChange(nameOf(model), write.filter);
  }
}

/** An update of the one record that matches. */
interface FilteredUpdate {
  readonly filter: object;
  readonly update: object;
  /** Inserts a record with the values of the filter if none matches. */
  readonly upsert?: boolean;
}

/** Updates one record per filter in one command, without invalidating caches; pipeline updates are not validated. */
export async function updateUncachedFields(model: CheckedModel, updates: readonly FilteredUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  for (const { filter, update } of updates) {
    assertFilter(model, filter);
    if (!Array.isArray(update)) assertUpdate(model, update);
  }
  const writes = updates.map((updateOne) => ({ updateOne }));
  const options = { ordered: false, maxTimeMS: writeTimeLimit };
  await measureOperation('bulkWrite', () => collectionOf(model).bulkWrite(writes, options));
}

/** Applies pipelines, which are not validated, to all records that match, with one command. Returns how many changed. */
export async function updateManyRecords(
  model: CheckedModel,
  updates: readonly FilteredUpdate[],
  session?: mongo.ClientSession,
): Promise<number> {
  for (const { filter } of updates) assertFilter(model, filter);
  const writes = updates.map((updateMany) => ({ updateMany }));
  const send = () => collectionOf(model).bulkWrite(writes, forWriting({ session }));
  try {
    return (await measureOperation('bulkWrite', send)).modifiedCount;
  } finally {
    for (const { filter } of updates) publishChange(nameOf(model), filter, session);
  }
}

/** Removes operators without fields, which older databases reject. */
function withoutEmpty(update: object): object {
  return Object.fromEntries(Object.entries(update).filter(([, fields]) => Object.keys(fields as object).length > 0));
}

/** Returns Mongoose's collection, of which every operation begins. Throws until the database has answered once. */
function collectionOf(model: CheckedModel): MongooseCollection {
  const collection = model.collection as MongooseCollection & { readonly conn: Connection };
  assertOpened(collection.conn);
  return collection;
}

const nameOf = (model: CheckedModel) => (model.collection as MongooseCollection).collectionName;

function forWriting<T extends { session?: mongo.ClientSession | undefined }>({ session, ...options }: T) {
  return { ...options, ignoreUndefined: true, maxTimeMS: writeTimeLimit, ...(session && { session }) };
}
