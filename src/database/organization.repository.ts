import type { Model, mongo, PipelineStage, QueryFilter, SortOrder, UpdateQuery } from 'mongoose';
import type { Tenant } from '../access/request-context.js';
import { writesVisible } from '../config/time-windows.js';
import { countMatching, type PageOptions, readPage, readPageWithoutTotal, type StoredPage } from './list-queries.js';
import { notDeleted } from './plugins/soft-delete.js';
import { inserting } from './plugins/operation-options.js';
import { assertMutable, type OrganizationRecord, projectionOf, toRecordId } from './record.js';
import { writeUnordered } from './rejected-writes.js';
import type { Session } from './transaction.js';

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
  protected constructor(private readonly model: Model<T>) {}

  /** Finds the record that matches, or null. With `majority`, null can also mean that it is not on a majority yet. */
  protected async findOne<K extends keyof T & string>(
    tenant: Tenant,
    filter: QueryFilter<T>,
    fields: readonly K[],
    options: FindOptions = {},
  ): Promise<Pick<T, K> | null> {
    const query = this.model.findOne(this.ofTenant(tenant, filter), projectionOf(fields), options);
    return query.lean<Pick<T, K>>().exec();
  }

  /** Finds all records that match, in order. */
  protected async find<K extends keyof T & string>(
    tenant: Tenant,
    filter: QueryFilter<T>,
    fields: readonly K[],
    sort: Record<string, SortOrder>,
    options: FindOptions = {},
  ): Promise<Pick<T, K>[]> {
    const query = this.model.find(this.ofTenant(tenant, filter), projectionOf(fields), { sort, ...options });
    return query.lean<Pick<T, K>[]>().exec();
  }

  /** Finds one page of the records that match, and the total. */
  protected findPage<K extends keyof T & string>(
    tenant: Tenant,
    filter: QueryFilter<T>,
    fields: readonly K[],
    request: PageOptions,
  ): Promise<StoredPage<Pick<T, K>>> {
    return readPage<T, Pick<T, K>>(this.model, this.ofTenant(tenant, filter), projectionOf(fields), request);
  }

  /** Finds one page of the records that match, without counting them. */
  protected findPart<K extends keyof T & string>(
    tenant: Tenant,
    filter: QueryFilter<T>,
    fields: readonly K[],
    request: PageOptions,
  ): Promise<Omit<StoredPage<Pick<T, K>>, 'total'>> {
    return readPageWithoutTotal<T, Pick<T, K>>(
      this.model,
      this.ofTenant(tenant, filter),
      projectionOf(fields),
      request,
    );
  }

  /** Runs an aggregation over the records that match, also deleted ones. Its stages must not join: only a test checks it. */
  protected aggregate<R extends object>(
    tenant: Tenant,
    filter: QueryFilter<T>,
    stages: readonly object[],
  ): Promise<R[]> {
    const pipeline = [{ $match: this.ofTenant(tenant, filter) }, ...stages] as PipelineStage[];
    return this.model.aggregate<R>(pipeline).exec();
  }

  /**
   * Returns a text that differs after every change of the organization's records. The latest time alone would not: a write
   * becomes visible some seconds after the time that it stores, and so possibly after a write with a later time. Therefore
   * the text has the number of records that were written in the seconds before the latest one, and of their writes. The
   * database adds them up, because an import can have stored any number with the same time; later, the time is enough.
   * @param fields the indexed field with the time of each write, and the one that counts the writes
   */
  protected async findVersionBy(tenant: Tenant, fields: readonly (keyof T & string)[], now: Date) {
    const [time, revision] = fields as [keyof T & string, keyof T & string];
    const since = (earliest: number) => ({ [time]: { $gte: new Date(earliest) } }) as QueryFilter<T>;
    const [latest] = await this.find(tenant, since(0), [time], { [time]: -1 }, { limit: 1, withDeleted: true });
    if (latest === undefined) return '';
    const at = Number(latest[time]);
    if (now.getTime() - at > writesVisible) return String(at);
    const sums = { $group: { _id: null, records: { $sum: 1 }, writes: { $sum: `$${revision}` } } };
    const written = await this.aggregate(tenant, since(at - writesVisible), [sums]);
    return JSON.stringify([at, ...written]);
  }

  protected count(tenant: Tenant, filter: QueryFilter<T>): Promise<number> {
    return countMatching(this.model, this.ofTenant(tenant, filter));
  }

  /**
   * Stores a new record of the organization.
   * @throws UniqueIndexViolation if another record has the same value under a unique index
   */
  protected async insertOne(tenant: Tenant, record: T, session?: Session): Promise<void> {
    assertOwn(tenant, [record]);
    await tenant.assertMayWrite();
    await this.model.insertMany([record], inserting(session));
  }

  /**
   * Updates the record that matches atomically, and returns the updated fields, or null if none matches.
   * @param options.toPipeline converts the update into a pipeline
   * @throws UniqueIndexViolation if another record has the same value under a unique index
   */
  protected async updateOne<K extends keyof T & string>(
    tenant: Tenant,
    filter: QueryFilter<T>,
    update: UpdateQuery<T>,
    fields: readonly K[],
    { toPipeline, ...options }: UpdateOptions = {},
  ): Promise<Pick<T, K> | null> {
    await tenant.assertMayWrite();
    if (toPipeline) assertMutable(this.model.schema, update);
    const query = this.model.findOneAndUpdate(
      this.ofTenant(tenant, filter),
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
    tenant: Tenant,
    writes: readonly ({ record: T } | { filter: QueryFilter<T>; update: UpdateQuery<T> })[],
    toPipeline: ToPipeline,
  ): Promise<ReadonlySet<number>> {
    const owned = writes.map((write) => {
      if ('filter' in write) {
        assertMutable(this.model.schema, write.update);
        return { filter: this.ofTenant(tenant, write.filter), pipeline: toPipeline(write.update) };
      }
      assertOwn(tenant, [write.record]);
      return write;
    });
    await tenant.assertMayWrite();
    return writeUnordered(this.model, owned);
  }

  /**
   * Applies a pipeline, which is not checked, to all records that match. Returns how many changed. Only in transactions, and
   * where the deadline of the request has been checked or must not be.
   */
  protected async updateMany(
    tenant: Tenant,
    filter: QueryFilter<T>,
    pipeline: readonly object[],
    options: Pick<UpdateOptions, 'session' | 'withDeleted'> = {},
  ): Promise<number> {
    const sent = pipeline as PipelineStage[];
    return (await this.model.updateMany(this.ofTenant(tenant, filter), sent, { updatePipeline: true, ...options }))
      .modifiedCount;
  }

  /** Replaces all records that match by others, in a transaction. */
  protected async replaceAll(
    tenant: Tenant,
    filter: QueryFilter<T>,
    records: readonly T[],
    session: Session,
  ): Promise<void> {
    assertOwn(tenant, records);
    await tenant.assertMayWrite();
    await this.model.deleteMany(this.ofTenant(tenant, filter), { session });
    if (records.length > 0) await this.model.insertMany([...records], inserting(session));
  }

  /**
   * Returns only the organization of a record, by default one that is not deleted, or null. Called after a query with a tenant
   * found nothing, to distinguish a record of another organization (403) from an unknown one (404), and without a tenant.
   */
  async ownerOf(id: string, filter: object = notDeleted, session?: Session): Promise<string | null> {
    const query = { _id: toRecordId(id), ...filter } as QueryFilter<T>;
    const options = { session: session ?? null, allTenants: true, withDeleted: true };
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
    return (await this.model.aggregate<{ _id: unknown }>(stages, { allTenants: true })).map(({ _id }) => String(_id));
  }

  private ofTenant(tenant: Tenant, filter: QueryFilter<T>): QueryFilter<T> {
    return { ...filter, organizationId: toRecordId(tenant.organization.id) };
  }
}

function assertOwn(tenant: Tenant, records: readonly OrganizationRecord[]): void {
  const isForeign = records.some((record) => String(record.organizationId) !== tenant.organization.id);
  if (isForeign) throw new Error('A record belongs to another organization');
}

type ToPipeline = (update: UpdateQuery<object>) => object[];

interface UpdateOptions {
  readonly session?: Session;
  readonly withDeleted?: boolean;
  readonly toPipeline?: ToPipeline;
}
