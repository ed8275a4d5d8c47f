import { LRUCache } from 'lru-cache';
import type { Model, QueryFilter, SortOrder, UpdateQuery } from 'mongoose';
import type { OrganizationScope } from '../access/request-context.js';
import {
  aggregateRecords,
  type FindOptions,
  findOneAndUpdateRecord,
  findOneRecord,
  findRecords,
  insertRecord,
  type ReadConcernLevel,
  type ReadOptions,
  replaceRecords,
  updateManyRecords,
  writeManyRecords,
} from './operations.js';
import {
  type FieldChanges,
  type OrganizationRecord,
  type RecordId,
  toRecordId,
  toUpdate,
  withRevision,
} from './record.js';
import { countMatching, type PageOptions, readPage, type StoredPage } from './list-queries.js';
import type { Session } from './transaction.js';

/** Longer than any write takes to become visible after its time stamp, with its retries. */
const settledMilliseconds = 15_000;
/** Excludes soft-deleted records from a query. */
export const notDeleted = { deletedAt: null } as const;

/**
 * Base of all repositories with records of organizations. Every method except `ownerOf` and `findOrganizationIds`, which
 * return only organizations, takes the organization first and adds it to the query, so that a query across organizations
 * cannot be written. Reads name their fields and return plain objects.
 */
export abstract class OrganizationRepository<T extends OrganizationRecord> {
  /** Organizations whose last list had more than one page. Their next list is counted in parallel with its page. */
  private readonly longLists = new LRUCache<string, true>({ max: 10_000 });

  protected constructor(private readonly model: Model<T>) {}

  /** Finds the record that matches, or null. With `majority`, null can also mean that it is not on a majority yet. */
  protected async findOne<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    readConcern?: ReadConcernLevel,
  ): Promise<Pick<T, K> | null> {
    const options = { projection: projectionOf(fields), readConcern };
    return findOneRecord<Pick<T, K>>(this.model, this.scoped(scope, filter), options);
  }

  /** Finds all records that match, in order. */
  protected async find<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    sort: Record<string, SortOrder>,
    readOptions: Pick<FindOptions, 'session' | 'readConcern' | 'limit' | 'collation' | 'expression'> = {},
  ): Promise<Pick<T, K>[]> {
    const options = { projection: projectionOf(fields), sort, ...readOptions };
    return findRecords<Pick<T, K>>(this.model, this.scoped(scope, filter), options);
  }

  /** Finds one page of the records that match, and the total. */
  protected async findPage<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    request: PageOptions,
  ): Promise<StoredPage<Pick<T, K>>> {
    const { id } = scope.organization;
    const isLong = this.longLists.has(id);
    const page = await readPage<T, Pick<T, K>>(this.model, this.scoped(scope, filter), projectionOf(fields), {
      ...request,
      isLong,
    });
    if (page.total > page.data.length) this.longLists.set(id, true);
    else this.longLists.delete(id);
    return page;
  }

  /** Runs an aggregation over the records that match; its stages are not checked. */
  protected aggregate<R extends object>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    stages: readonly object[],
  ): Promise<R[]> {
    return aggregateRecords<R>(this.model, [{ $match: this.scoped(scope, filter) }, ...stages]);
  }

  /**
   * Returns a text that differs after every change of the organization's records. The latest time alone would not: a write
   * becomes visible some seconds after the time that it stores, and so possibly after a write with a later time. Therefore
   * the text has the number of records that were written in the seconds before the latest one, and of their writes. The
   * database adds them up, because an import can have stored any number with the same time; later, the time is enough.
   * @param fields the indexed field with the time of each write, and the one that counts the writes
   */
  protected async findVersionBy(scope: OrganizationScope, fields: readonly (keyof T & string)[], now: Date) {
    const [time, revision] = fields as [keyof T & string, keyof T & string];
    const since = (earliest: number) => ({ [time]: { $gte: new Date(earliest) } }) as QueryFilter<T>;
    const [latest] = await this.find(scope, since(0), [time], { [time]: -1 }, { limit: 1 });
    if (latest === undefined) return '';
    const at = Number(latest[time]);
    if (now.getTime() - at > settledMilliseconds) return String(at);
    const sums = { $group: { _id: null, records: { $sum: 1 }, writes: { $sum: `$${revision}` } } };
    const written = await this.aggregate(scope, since(at - settledMilliseconds), [sums]);
    return JSON.stringify([at, ...written]);
  }

  protected count(scope: OrganizationScope, filter: QueryFilter<T>, list?: object): Promise<number> {
    return countMatching(this.model, this.scoped(scope, filter), list);
  }

  /**
   * Stores a new record of the organization.
   * @throws UniqueIndexViolation if another record has the same value under a unique index
   */
  protected async insertOne(scope: OrganizationScope, record: T, session?: Session): Promise<void> {
    assertOwn(scope, [record]);
    await scope.assertMayWrite();
    await insertRecord(this.model, record, session);
  }

  /**
   * Updates the record that matches atomically, and returns the updated fields, or null if none matches.
   * @param options.convert converts the validated update into the form that is sent
   * @throws UniqueIndexViolation if another record has the same value under a unique index
   */
  protected async updateOne<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    update: UpdateQuery<T>,
    fields: readonly K[],
    { session, convert }: { session?: Session; convert?: (update: object) => object } = {},
  ): Promise<Pick<T, K> | null> {
    await scope.assertMayWrite();
    const options = { projection: projectionOf(fields), session };
    return findOneAndUpdateRecord<Pick<T, K>>(this.model, this.scoped(scope, filter), update, options, convert);
  }

  /** Inserts and updates records with one bulk write: see `writeManyRecords`. */
  protected async writeMany(
    scope: OrganizationScope,
    writes: readonly ({ record: T } | { filter: QueryFilter<T>; update: UpdateQuery<T> })[],
  ): Promise<ReadonlySet<number>> {
    const scoped = writes.map((write) => {
      if ('filter' in write) return { ...write, filter: this.scoped(scope, write.filter) };
      assertOwn(scope, [write.record]);
      return write;
    });
    await scope.assertMayWrite();
    return writeManyRecords(this.model, scoped);
  }

  /**
   * Applies changes to all records that match their filter; each record that differs gets a new revision.
   * Only for writes of the server itself, which have no deadline.
   */
  protected async updateAll(
    scope: OrganizationScope,
    writes: readonly { filter: QueryFilter<T>; changes: FieldChanges<T> }[],
  ): Promise<void> {
    const updates = writes.map(({ filter, changes }) => {
      return { filter: this.scoped(scope, filter), update: withRevision(toUpdate(changes)) };
    });
    await updateManyRecords(this.model, updates);
  }

  /**
   * Sets a time of all records that match to the database's time, or removes it, without a new revision. In a transaction, this
   * conflicts with others that write these records.
   */
  protected async touchAll(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    field: keyof T & string,
    session?: Session,
    value: '$$NOW' | '$$REMOVE' = '$$NOW',
  ): Promise<void> {
    const touch = { filter: this.scoped(scope, filter), update: [{ $set: { [field]: value } }] };
    await updateManyRecords(this.model, [touch], session);
  }

  /** Applies a pipeline, which is not validated, to all records that match. Returns how many changed. */
  protected async updateMany(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    pipeline: readonly object[],
    session?: Session,
  ): Promise<number> {
    await scope.assertMayWrite();
    return updateManyRecords(this.model, [{ filter: this.scoped(scope, filter), update: pipeline }], session);
  }

  /** Replaces all records that match by others, in a transaction. */
  protected async replaceAll(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    records: readonly T[],
    session: Session,
  ): Promise<void> {
    assertOwn(scope, records);
    await scope.assertMayWrite();
    await replaceRecords(this.model, this.scoped(scope, filter), records, session);
  }

  /**
   * Returns only the organization of a record, by default one that is not deleted, or null. Called after a scoped query
   * found nothing, to distinguish a record of another organization (403) from an unknown one (404), and without a scope.
   */
  async ownerOf(id: string, filter: object = notDeleted, session?: Session): Promise<string | null> {
    const query = { _id: toRecordId(id), ...filter } as QueryFilter<T>;
    const options = { projection: { organizationId: 1 }, session } as const;
    const found = await findOneRecord<Pick<T, 'organizationId'>>(this.model, query, options);
    return found?.organizationId === undefined ? null : String(found.organizationId);
  }

  /**
   * Returns only the organizations that have records that match, for work of the server itself. The filter must match
   * only records of a small partial index, which begins with the organization.
   */
  protected async findOrganizationIds(filter: QueryFilter<T>): Promise<string[]> {
    const owned = { organizationId: { $exists: true }, ...filter };
    const stages = [{ $match: owned }, { $group: { _id: '$organizationId' } }];
    return (await aggregateRecords<{ _id: RecordId }>(this.model, stages)).map(({ _id }) => String(_id));
  }

  private scoped(scope: OrganizationScope, filter: QueryFilter<T>): QueryFilter<T> {
    return { ...filter, organizationId: toRecordId(scope.organization.id) };
  }
}

function assertOwn(scope: OrganizationScope, records: readonly OrganizationRecord[]): void {
  const isForeign = records.some((record) => String(record.organizationId) !== scope.organization.id);
  if (isForeign) throw new Error('A record belongs to another organization');
}

const projections = new WeakMap<readonly string[], ReadOptions['projection']>();

/** Builds a projection, without `_id` unless it is named; once per list, which repositories keep as a constant. */
export function projectionOf(fields: readonly string[]): ReadOptions['projection'] {
  const known = projections.get(fields);
  if (known !== undefined) return known;
  const projection = { _id: 0, ...Object.fromEntries(fields.map((field) => [field, 1])) };
  projections.set(fields, projection);
  return projection;
}
