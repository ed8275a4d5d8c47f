import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../config/clock.js';
import type { IdempotencyKey, OrganizationScope } from '../access/request-context.js';
import type { PageStart, StoredPage } from '../database/list-queries.js';
import { isRecordId } from '../validation/fields.js';
import { withApostrophes } from '../validation/text.js';
import { OrganizationRepository } from '../database/organization.repository.js';
import {
  acceptedRevisions,
  assertRevision,
  type FieldChanges,
  type Preconditions,
  toUpdate,
  withRevision,
} from '../database/record.js';
import type { Session } from '../database/transaction.js';
import type { BulkWrite, StoredUpdate } from './outcome.js';
import { changedByOf } from './changed-by.js';
import { isViolationOf, rejectTaken } from './unique-violations.js';
import {
  beginningWith,
  externalIdIndexName,
  type FirstResponse,
  idempotencyIndexName,
  ignoringCase,
  type StoredSyncedRecord,
} from './synced-record.schema.js';

/** The most records that a search returns by name, and by external ID, which several teams can have. */
export const maxFound = 10;
const retentionMilliseconds = 24 * 60 * 60 * 1000;

export class IdempotencyKeyUsed extends Error {
  /** @param first the first response, if it is already known */
  constructor(
    cause: unknown,
    readonly first?: FirstResponse,
  ) {
    super('The idem-key was used', { cause });
    this.name = 'IdempotencyKeyUsed';
  }
}

/** The methods of `SyncedRepository` that `SyncedService` calls, for records with the public fields `S`. */
export interface SyncedRecords<S> {
  findByExternalIds(scope: OrganizationScope, externalIds: readonly string[], parent?: object): Promise<S[]>;
  insertIdempotent(scope: OrganizationScope, record: S, key: IdempotencyKey | undefined, body: unknown): Promise<void>;
  writeAll(scope: OrganizationScope, writes: readonly BulkWrite<S>[]): Promise<ReadonlySet<BulkWrite<S>>>;
}

/** The values that a record must have by field; `null` matches an unset field, and IDs may be strings. */
export type FieldValues<T> = { readonly [K in keyof T]?: unknown };

/**
 * Repository of records that API keys create, read, update and delete, optionally with an `idem-key`. Records are returned
 * with the fields of responses. Deleted ones are hidden by the plugin `softDelete`, except from `findFirstResponse` and
 * `findVersion`.
 */
export abstract class SyncedRepository<
  T extends StoredSyncedRecord,
  K extends keyof T & string,
> extends OrganizationRepository<T> {
  /** The fields that together are unique in an organization. */
  private readonly externalIdKeys: readonly string[];

  protected constructor(
    model: Model<T>,
    private readonly publicFields: readonly K[],
    protected readonly clock: Clock,
  ) {
    super(model);
    const [keys = {}] = model.schema.indexes().find(([, { name }]) => name === externalIdIndexName) ?? [];
    this.externalIdKeys = Object.keys(keys).filter((name) => name !== 'organizationId');
  }

  /** Returns a page of the records with these values, oldest first. */
  findAll(scope: OrganizationScope, values: FieldValues<T>, start: PageStart): Promise<StoredPage<Pick<T, K>>> {
    return this.findPage(scope, this.toFilter(values), this.publicFields, start);
  }

  /** Returns a record, or null if none has the ID and these values. */
  findById(scope: OrganizationScope, id: string, values: FieldValues<T> = {}): Promise<Pick<T, K> | null> {
    return this.findOne(scope, this.toFilter({ ...values, _id: id }), this.publicFields);
  }

  /** Returns the records with these external IDs and values. */
  findByExternalIds(scope: OrganizationScope, externalIds: readonly string[], values: FieldValues<T> = {}) {
    const filter = this.toFilter({ ...values, externalId: { $in: externalIds } });
    return this.find(scope, filter, this.publicFields, { externalId: 1 });
  }

  /**
   * Returns the records whose ID or external ID is this text, or, if there are none, a few that `findByName` finds.
   * @param name the field with the name, of the index that `addNameIndex` adds
   */
  async search(scope: OrganizationScope, name: K & keyof T & string, text: string): Promise<Pick<T, K>[]> {
    const find = (values: object, field: keyof T & string) =>
      this.find(scope, this.toFilter(values), this.publicFields, { [field]: 1 }, { limit: maxFound });
    const byId = isRecordId(text) ? find({ _id: text }, '_id') : [];
    const exact = (await Promise.all([byId, find({ externalId: text }, 'externalId')])).flat();
    if (exact.length > 0) return [...new Map(exact.map((record) => [String(record['_id' as K]), record])).values()];
    return isRecordId(text) ? [] : this.findByName(scope, name, text);
  }

  /** Returns a few records whose name begins with this text, ignoring case and accents, in the order of their names. */
  protected findByName(scope: OrganizationScope, name: K & keyof T & string, text: string): Promise<Pick<T, K>[]> {
    const begun = withApostrophes(text).map((form) => ({ [name]: beginningWith(form) }));
    const filter = (begun.length === 1 ? begun[0] : { $or: begun }) as QueryFilter<T>;
    return this.find(scope, filter, this.publicFields, { [name]: 1 }, { limit: maxFound, collation: ignoringCase });
  }

  /** Returns a text that differs after every change of the organization's records. */
  findVersion(scope: OrganizationScope): Promise<string> {
    return this.findVersionBy(scope, ['updatedAt', 'revision'], this.clock.now());
  }

  countAll(scope: OrganizationScope): Promise<number> {
    return this.count(scope, this.toFilter({}));
  }

  /**
   * Updates a record atomically, with the preconditions in the filter; the revision counts only updates that change a field.
   * Returns null if none has the ID and these values. A revision in `values` replaces the preconditions, because a caller
   * with one has read the record at this revision and compared it with them.
   */
  async updateById(
    scope: OrganizationScope & Preconditions,
    id: string,
    changes: FieldChanges<T>,
    values: FieldValues<T> = {},
  ): Promise<Pick<T, K> | null> {
    const revision = acceptedRevisions(scope);
    const filter = this.toFilter({ revision, ...values, _id: id });
    const update = toUpdate<T>({ updatedAt: this.clock.now(), changedBy: changedByOf(scope), ...changes });
    const options = { toPipeline: (sent: object) => this.toPipeline(sent) };
    const updated = await this.updateOne(scope, filter, update, this.publicFields, options).catch((error: unknown) =>
      this.rejectTakenBy(scope, { ...values, ...changes }, error),
    );
    if (updated === null && revision !== undefined) {
      const stored = await this.findById(scope, id, { ...values, revision: undefined });
      if (stored !== null) assertRevision(scope, stored as Pick<T, 'revision'>);
    }
    return updated;
  }

  /** Soft-deletes a record, with the preconditions in the filter. Returns null if none has the ID and these values. */
  deleteById(scope: OrganizationScope & Preconditions, id: string, values: FieldValues<T>): Promise<Pick<T, K> | null> {
    return this.updateById(scope, id, this.deletionBy(scope), values);
  }

  protected deletionBy(scope: OrganizationScope): FieldChanges<T> {
    const now = this.clock.now();
    return { deletedAt: now, updatedAt: now, changedBy: changedByOf(scope) } as FieldChanges<T>;
  }

  /**
   * Inserts and updates records with one bulk write. Returns the writes that were not applied: another record has the
   * external ID, or the stored record no longer has the revision.
   */
  async writeAll(scope: OrganizationScope, writes: readonly BulkWrite<T>[]): Promise<ReadonlySet<BulkWrite<T>>> {
    if (writes.length === 0) return new Set();
    const toWrite = (write: BulkWrite<T>) => {
      if ('record' in write) return write;
      const { id, revision = null } = write;
      return { filter: this.toFilter({ _id: id, revision }), update: this.toStored(write) };
    };
    const rejected = await this.writeMany(scope, writes.map(toWrite));
    return new Set(writes.filter((_write, index) => rejected.has(index)));
  }

  /** Builds the update of a record in a bulk write. */
  protected toStored({ changes }: StoredUpdate<T>): UpdateQuery<T> {
    return toUpdate<T>(changes);
  }

  /** Builds the pipeline of an update of one record. */
  protected toPipeline(update: UpdateQuery<T>): object[] {
    return withRevision(update);
  }

  /** Returns the filter of records that have these values. */
  protected toFilter(values: FieldValues<T>): QueryFilter<T> {
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  }

  /**
   * Inserts a record, with the key and response in the same write. In a transaction, an expired key that is freed first
   * conflicts once, and `Transactions` repeats it.
   * @throws IdempotencyKeyUsed if the key was used in the last 24 hours; `IdempotencyInterceptor` handles it
   * @throws ServiceError 40905
   */
  async insertIdempotent(
    scope: OrganizationScope,
    record: T,
    key: IdempotencyKey | undefined,
    response: object,
    session?: Session,
  ): Promise<void> {
    if (key === undefined)
      return this.insertOne(scope, record, session).catch((error: unknown) => this.rejectTakenBy(scope, record, error));
    const withResponse = { ...record, idempotency: { ...key, answer: JSON.stringify(response), at: this.clock.now() } };
    try {
      await this.insertOne(scope, withResponse, session);
    } catch (error) {
      if (!isViolationOf(idempotencyIndexName, error)) return this.rejectTakenBy(scope, record, error);
      const first = await this.findFirstResponse(scope, key);
      if (first !== null) throw new IdempotencyKeyUsed(error, first);
      await this.unsetExpired(scope, key);
      await this.insertOne(scope, withResponse, session).catch((retryError: unknown) => {
        if (isViolationOf(idempotencyIndexName, retryError)) throw new IdempotencyKeyUsed(retryError);
        return this.rejectTakenBy(scope, record, retryError);
      });
    }
  }

  /**
   * Returns the first response to a key of the last 24 hours, or null. Reads with majority concern, because a write
   * that a failover can still roll back must not be replayed.
   */
  async findFirstResponse(scope: OrganizationScope, key: IdempotencyKey): Promise<FirstResponse | null> {
    const recent = { ...ofKey<T>(key), 'idempotency.at': { $gt: this.expiryTime() } };
    const found = await this.findOne(scope, recent, ['idempotency'], { readConcern: 'majority', withDeleted: true });
    return found?.idempotency ?? null;
  }

  private async unsetExpired(scope: OrganizationScope, key: IdempotencyKey): Promise<void> {
    const expired = { ...ofKey<T>(key), 'idempotency.at': { $lte: this.expiryTime() } };
    await this.updateOne(scope, expired, { $unset: { idempotency: 1 } }, ['_id'], { withDeleted: true });
  }

  /** Throws 40905, with the ID of the other record if these fields identify it; every other error as it is. */
  protected async rejectTakenBy(scope: OrganizationScope, fields: object, error: unknown): Promise<never> {
    const named = Object.entries(fields).filter(([name, value]) => this.externalIdKeys.includes(name) && value);
    const isComplete = named.length === this.externalIdKeys.length && isViolationOf(externalIdIndexName, error);
    const other = isComplete
      ? await this.findOne(scope, this.toFilter(Object.fromEntries(named) as object), ['_id'])
      : null;
    return rejectTaken(error, other?._id);
  }

  private expiryTime(): Date {
    return new Date(this.clock.now().getTime() - retentionMilliseconds);
  }
}

function ofKey<T extends StoredSyncedRecord>(key: IdempotencyKey): QueryFilter<T> {
  return { 'idempotency.scope': key.scope, 'idempotency.keyHash': key.keyHash };
}
