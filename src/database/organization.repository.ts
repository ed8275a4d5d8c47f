import type { Model, QueryFilter, SortOrder, UpdateQuery } from 'mongoose';
import type { OrganizationScope } from '../common/context/request-context.js';
import {
  deleteManyRecords,
  findOneAndUpdateRecord,
  findOneRecord,
  findRecords,
  insertManyRecords,
  insertRecord,
  type ReadConcernLevel,
  type ReadOptions,
} from './operations.js';
import { type OrganizationRecord, toRecordId } from './record.js';
import { countMatching, type PageRequest, queryTimeLimit, readPage, type StoredPage } from './reading.js';
import { assertMayWrite, type Session } from './transaction.js';

/** What distinguishes records that live from those that were deleted softly. */
export const alive = { deletedAt: null } as const;

/**
 * The way to the records of organizations. Every method demands whose records are meant; a query without the
 * organization cannot be written. Reads are plain objects and name their fields.
 */
export abstract class OrganizationRepository<T extends OrganizationRecord> {
  protected constructor(private readonly model: Model<T>) {}

  /** The one record that matches, or null; with a read concern null may also mean that it is not on a majority yet. */
  protected async findOne<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    readConcern?: ReadConcernLevel,
  ): Promise<Pick<T, K> | null> {
    const options = { projection: projectionOf(fields), maxTimeMS: queryTimeLimit, readConcern };
    return findOneRecord<Pick<T, K>>(this.model, this.scoped(scope, filter), options);
  }

  /** All the records that match, in the given order. */
  protected async find<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    sort: Record<string, SortOrder>,
    within: Pick<ReadOptions, 'session' | 'readConcern'> = {},
  ): Promise<Pick<T, K>[]> {
    const options = { projection: projectionOf(fields), maxTimeMS: queryTimeLimit, sort, ...within };
    return findRecords<Pick<T, K>>(this.model, this.scoped(scope, filter), options);
  }

  /** One page of the records that match, and how many match in all. */
  protected async findPage<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    request: PageRequest,
  ): Promise<StoredPage<Pick<T, K>>> {
    return readPage(this.model, this.scoped(scope, filter), projectionOf(fields), request);
  }

  /** How many records match. */
  protected count(scope: OrganizationScope, filter: QueryFilter<T>): Promise<number> {
    return countMatching(this.model, this.scoped(scope, filter));
  }

  /** The first record that matches, in an order; undefined where there is none. */
  protected async findFirst<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    fields: readonly K[],
    sort: Record<string, SortOrder>,
  ): Promise<Pick<T, K> | undefined> {
    const options = { projection: { ...projectionOf(fields), _id: 0 }, maxTimeMS: queryTimeLimit, sort, limit: 1 };
    const [first] = await findRecords<Pick<T, K>>(this.model, this.scoped(scope, filter), options);
    return first;
  }

  /**
   * Stores a new record of the organization.
   * @throws UniqueIndexViolation
   */
  protected async insertOne(scope: OrganizationScope, record: T): Promise<void> {
    if (String(record.organizationId) !== scope.organization.id)
      throw new Error('The record is of another organization');
    await assertMayWrite(scope);
    await insertRecord(this.model, record);
  }

  /** Changes the one record that matches in a single atomic step; the changed record, or null where none matches. */
  protected async updateOne<K extends keyof T & string>(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    update: UpdateQuery<T> | UpdateQuery<T>[],
    fields: readonly K[],
    session?: Session,
  ): Promise<Pick<T, K> | null> {
    await assertMayWrite(scope);
    const kept = Array.isArray(update) ? [...update, this.ownership(scope)] : update;
    const options = { projection: projectionOf(fields), session };
    return findOneAndUpdateRecord<Pick<T, K>>(this.model, this.scoped(scope, filter), kept, options);
  }

  /** Puts records in the place of all that match, as a part of a transaction. */
  protected async replaceAll(
    scope: OrganizationScope,
    filter: QueryFilter<T>,
    records: readonly T[],
    session: Session,
  ): Promise<void> {
    const foreign = records.some((record) => String(record.organizationId) !== scope.organization.id);
    if (foreign) throw new Error('A record is of another organization');
    await assertMayWrite(scope);
    await deleteManyRecords(this.model, this.scoped(scope, filter), session);
    await insertManyRecords(this.model, records, session);
  }

  /**
   * The organization that a living record belongs to, and nothing else of it: asked only after a scoped query
   * found nothing, to tell a foreign record (403) from an unknown one (404), or for an admin, who has no scope.
   */
  async ownerOf(id: string): Promise<string | null> {
    const filter = { _id: toRecordId(id), ...alive } as QueryFilter<T>;
    const options = { projection: { organizationId: 1 }, maxTimeMS: queryTimeLimit } as const;
    const found = await findOneRecord<Pick<T, 'organizationId'>>(this.model, filter, options);
    return found?.organizationId === undefined ? null : String(found.organizationId);
  }

  private scoped(scope: OrganizationScope, filter: QueryFilter<T>): QueryFilter<T> {
    return { ...filter, organizationId: toRecordId(scope.organization.id) };
  }

  /** The last stage of an update pipeline, to which the schema's `immutable` does not apply. */
  private ownership(scope: OrganizationScope): UpdateQuery<T> {
    return { $set: { organizationId: toRecordId(scope.organization.id) } };
  }
}

const projections = new WeakMap<readonly string[], Readonly<Record<string, 1>>>();

/** Made once for a list of fields, which the repositories hold as constants. */
function projectionOf(fields: readonly string[]): Readonly<Record<string, 1>> {
  const known = projections.get(fields);
  if (known !== undefined) return known;
  const projection = Object.fromEntries(fields.map((field) => [field, 1 as const]));
  projections.set(fields, projection);
  return projection;
}
