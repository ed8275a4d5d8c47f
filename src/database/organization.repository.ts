import { LRUCache } from 'lru-cache';
import type { Model, mongo, PipelineStage, QueryFilter, SortOrder, UpdateQuery } from 'mongoose';
import type { OrganizationScope } from '../access/request-context.js';
import { countMatching, type PageOptions, readPage, readPageWithoutTotal, type StoredPage } from './list-queries.js';
import { notDeleted } from './plugins/soft-delete.js';
import { inserting } from './plugins/time-limits.js';
import {
  assertMutable,
  type FieldChanges,
  type OrganizationRecord,
  projectionOf,
  toRecordId,
  toUpdate,
  withRevision,
} from './record.js';
import { writeUnordered } from './rejected-writes.js';
import type { Session } from './transaction.js';

/** Longer than any write takes to become visible after its time stamp, with its retries. */
const settledMilliseconds = 15_000;

export interface FindOptions {
  readonly session?: Session | null;
  /**
   * `majority` returns only data that no failover can roll back. `snapshot` also reads all batches of a result at one point
   * in time, so that it never mixes two transactions; it needs a replica set. Defaults to the connection's.
   */
  readonly readConcern?: 'majority' | 'snapshot';
  readonly limit?: number;
  readonly collation?: mongo.CollationOptions;
  readonly withDeleted?: boolean;
}

/**
 * Base of all repositories with records of organizations. Every method except `ownerOf` and `findOrganizationIds`, which
 * return only organizations, takes the organization first and adds it to the query, so that its subclasses cannot
 * query across organizations. Reads name their fields and return plain objects.
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
    options: FindOptions = {},
  ): Promise<Pick<T, K> | null> {
    const query = this.model.findOne(this.scoped(scope, filter), projectionOf(fields), options);
    return query.lean<Pick<T, K>>().exec();
  }

  /** Finds all records that match, in order. */
  protected async find<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    sort: Record<string, SortOrder>,
    options: FindOptions = {},
  ): Promise<Pick<T, K>[]> {
    const query = this.model.find(this.scoped(scope, filter), projectionOf(fields), { sort, ...options });
    return query.lean<Pick<T, K>[]>().exec();
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
    const options = { ...request, isLong };
    const page = await readPage<T, Pick<T, K>>(this.model, this.scoped(scope, filter), projectionOf(fields), options);
    if (page.total > page.data.length) this.longLists.set(id, true);
    else this.longLists.delete(id);
    return page;
  }

  /** Finds one page of the records that match, without counting them. */
  protected findPart<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    request: PageOptions,
  ): Promise<Omit<StoredPage<Pick<T, K>>, 'total'>> {
    return readPageWithoutTotal<T, Pick<T, K>>(this.model, this.scoped(scope, filter), projectionOf(fields), request);
  }

  /** Runs an aggregation over the records that match; its stages are not checked. */
  protected aggregate<R extends object>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    stages: readonly object[],
  ): Promise<R[]> {
    const pipeline = [{ $match: this.scoped(scope, filter) }, ...stages] as PipelineStage[];
    return this.model.aggregate<R>(pipeline).exec();
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
    const [latest] = await this.find(scope, since(0), [time], { [time]: -1 }, { limit: 1, withDeleted: true });
    if (latest === undefined) return '';
    const at = Number(latest[time]);
    if (now.getTime() - at > settledMilliseconds) return String(at);
    const sums = { $group: { _id: null, records: { $sum: 1 }, writes: { $sum: `$${revision}` } } };
    const written = await this.aggregate(scope, since(at - settledMilliseconds), [sums]);
    return JSON.stringify([at, ...written]);
  }

  protected count(scope: OrganizationScope, filter: QueryFilter<T>): Promise<number> {
    return countMatching(this.model, this.scoped(scope, filter));
  }

  /**
   * Stores a new record of the organization.
   * @throws UniqueIndexViolation if another record has the same value under a unique index
   */
  protected async insertOne(scope: OrganizationScope, record: T, session?: Session): Promise<void> {
    assertOwn(scope, [record]);
    await scope.assertMayWrite();
    await this.model.insertMany([record], inserting(session));
  }

  /**
   * Updates the record that matches atomically, and returns the updated fields, or null if none matches.
   * @param options.toPipeline converts the update into a pipeline
   * @throws UniqueIndexViolation if another record has the same value under a unique index
   */
  protected async updateOne<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    update: UpdateQuery<T>,
    fields: readonly K[],
    { toPipeline, ...options }: UpdateOptions = {},
  ): Promise<Pick<T, K> | null> {
    await scope.assertMayWrite();
    if (toPipeline) assertMutable(this.model.schema, update);
    const query = this.model.findOneAndUpdate(
      this.scoped(scope, filter),
      (toPipeline?.(update) as PipelineStage[] | undefined) ?? update,
      {
        ...options,
        projection: projectionOf(fields),
        returnDocument: 'after',
        updatePipeline: toPipeline !== undefined,
      },
    );
    return query.lean<Pick<T, K>>().exec();
  }

  /** Inserts and updates records: see `writeUnordered`. */
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
    return writeUnordered(this.model, scoped);
  }

  /**
   * Applies changes to all records that match; each record that differs gets a new revision.
   * Only for writes of the server itself, which have no deadline.
   */
  protected async updateAll(scope: OrganizationScope, filter: QueryFilter<T>, changes: FieldChanges<T>): Promise<void> {
    await this.updateMany(scope, filter, withRevision(toUpdate(changes)));
  }

  /**
   * Applies a pipeline, which is not checked, to all records that match. Returns how many changed. Only in transactions, and
   * where the deadline of the request has been checked or must not be.
   */
  protected async updateMany(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    pipeline: readonly object[],
    options: Pick<UpdateOptions, 'session' | 'withDeleted'> = {},
  ): Promise<number> {
    const sent = pipeline as PipelineStage[];
    return (await this.model.updateMany(this.scoped(scope, filter), sent, { updatePipeline: true, ...options }))
      .modifiedCount;
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
    await this.model.deleteMany(this.scoped(scope, filter), { session });
    if (records.length > 0) await this.model.insertMany([...records], inserting(session));
  }

  /**
   * Returns only the organization of a record, by default one that is not deleted, or null. Called after a scoped query
   * found nothing, to distinguish a record of another organization (403) from an unknown one (404), and without a scope.
   */
  async ownerOf(id: string, filter: object = notDeleted, session?: Session): Promise<string | null> {
    const query = { _id: toRecordId(id), ...filter } as QueryFilter<T>;
    const options = { session: session ?? null, unscoped: true, withDeleted: true };
    const found = await this.model.findOne(query, { organizationId: 1 }, options).lean<Pick<T, 'organizationId'>>();
    return found?.organizationId === undefined ? null : String(found.organizationId);
  }

  /**
   * Returns only the organizations that have records that match, for work of the server itself. The filter must match
   * only records of a small partial index, which begins with the organization.
   */
  protected async findOrganizationIds(filter: QueryFilter<T>): Promise<string[]> {
    const owned = { organizationId: { $exists: true }, ...filter };
    const stages = [{ $match: owned }, { $group: { _id: '$organizationId' } }] as PipelineStage[];
    return (await this.model.aggregate<{ _id: unknown }>(stages, { unscoped: true })).map(({ _id }) => String(_id));
  }

  private scoped(scope: OrganizationScope, filter: QueryFilter<T>): QueryFilter<T> {
    return { ...filter, organizationId: toRecordId(scope.organization.id) };
  }
}

function assertOwn(scope: OrganizationScope, records: readonly OrganizationRecord[]): void {
  const isForeign = records.some((record) => String(record.organizationId) !== scope.organization.id);
  if (isForeign) throw new Error('A record belongs to another organization');
}

interface UpdateOptions {
  readonly session?: Session;
  readonly withDeleted?: boolean;
  readonly toPipeline?: (update: UpdateQuery<object>) => object[];
}
