import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../config/clock.js';
import { idempotency } from '../config/time-windows.js';
import type { IdempotencyKey, Tenant } from '../access/request-context.js';
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
import { isViolationOf } from '../database/plugins/write-errors.js';
import type { Session } from '../database/transaction.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import type { BulkWrite } from './outcome.js';
import { changedByOf } from './changed-by.js';
import {
  beginningWith,
  externalIdIndexName,
  type FirstResponse,
  idempotencyIndexName,
  ignoringCase,
  type StoredSyncedRecord,
  toFirstResponse,
} from './synced-record.schema.js';

/** The most records that a search returns by name, and by external ID, which several teams can have. */
export const maxFound = 10;

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
  findByExternalIds(tenant: Tenant, externalIds: readonly string[], parent?: object): Promise<S[]>;
  insertIdempotent(tenant: Tenant, record: S, key: IdempotencyKey | undefined, body: unknown): Promise<void>;
  writeAll(tenant: Tenant, writes: readonly BulkWrite<S>[]): Promise<ReadonlySet<BulkWrite<S>>>;
}

/** The values that a record must have by field; `null` matches an unset field, and IDs may be strings. */
export type FieldValues<T> = { readonly [K in keyof T]?: unknown };

/**
 * Repository of records that API keys synchronize, which it returns with the fields of responses. Deleted ones are hidden by
 * the plugin `softDelete`, except from `findFirstResponse` and `findVersion`.
 */
export abstract class SyncedRepository<
  T extends StoredSyncedRecord,
  K extends keyof T & string,
> extends OrganizationRepository<T> {
  protected constructor(
    model: Model<T>,
    private readonly publicFields: readonly K[],
    protected readonly clock: Clock,
  ) {
    super(model);
  }

  /** Returns a page of the records with these values, oldest first. */
  findAll(tenant: Tenant, values: FieldValues<T>, start: PageStart): Promise<StoredPage<Pick<T, K>>> {
    return this.findPage(tenant, this.toFilter(values), this.publicFields, start);
  }

  /** Returns a record, or null if none has the ID and these values. */
  findById(tenant: Tenant, id: string, values: FieldValues<T> = {}): Promise<Pick<T, K> | null> {
    return this.findOne(tenant, this.toFilter({ ...values, _id: id }), this.publicFields);
  }

  /** Returns the records with these external IDs and values. */
  findByExternalIds(tenant: Tenant, externalIds: readonly string[], values: FieldValues<T> = {}) {
    const filter = this.toFilter({ ...values, externalId: { $in: externalIds } });
    return this.find(tenant, filter, this.publicFields, { externalId: 1 });
  }

  /**
   * Returns the records whose ID or external ID is this text, or, if there are none, a few that `findByName` finds.
   * @param name the field with the name, of the index that `addNameIndex` adds
   */
  async search(tenant: Tenant, name: K & keyof T & string, text: string): Promise<Pick<T, K>[]> {
    const find = (values: object, field: keyof T & string) =>
      this.find(tenant, this.toFilter(values), this.publicFields, { [field]: 1 }, { limit: maxFound });
    const byId = isRecordId(text) ? find({ _id: text }, '_id') : [];
    const exact = (await Promise.all([byId, find({ externalId: text }, 'externalId')])).flat();
    if (exact.length > 0) return [...new Map(exact.map((record) => [String(record['_id' as K]), record])).values()];
    return isRecordId(text) ? [] : this.findByName(tenant, name, text);
  }

  /** Returns a few records whose name begins with this text, ignoring case and accents, in the order of their names. */
  protected findByName(tenant: Tenant, name: K & keyof T & string, text: string): Promise<Pick<T, K>[]> {
    const begun = withApostrophes(text).map((form) => ({ [name]: beginningWith(form) }));
    const filter = (begun.length === 1 ? begun[0] : { $or: begun }) as QueryFilter<T>;
    return this.find(tenant, filter, this.publicFields, { [name]: 1 }, { limit: maxFound, collation: ignoringCase });
  }

  /** Returns a text that differs after every change of the organization's records. */
  findVersion(tenant: Tenant): Promise<string> {
    return this.findVersionBy(tenant, ['updatedAt', 'revision'], this.clock.now());
  }

  countAll(tenant: Tenant): Promise<number> {
    return this.count(tenant, this.toFilter({}));
  }

  /**
   * Updates a record atomically, with the preconditions in the filter; the revision counts only updates that change a field.
   * Returns null if none has the ID and these values. For a revision in `values`, the caller has compared `If-Match`.
   */
  async updateById(
    tenant: Tenant & Preconditions,
    id: string,
    changes: FieldChanges<T>,
    values: FieldValues<T> = {},
  ): Promise<Pick<T, K> | null> {
    const revision = acceptedRevisions(tenant);
    const filter = this.toFilter({ revision, ...values, _id: id });
    const update = toUpdate<T>({ updatedAt: this.clock.now(), changedBy: changedByOf(tenant), ...changes });
    const options = { toPipeline: (sent: object) => this.toPipeline(sent) };
    const updated = await this.updateOne(tenant, filter, update, this.publicFields, options).catch((error: unknown) =>
      this.rejectTakenBy(tenant, { ...values, ...changes }, error),
    );
    if (updated === null && revision !== undefined) {
      const stored = await this.findById(tenant, id, { ...values, revision: undefined });
      if (stored !== null) assertRevision(tenant, stored as Pick<T, 'revision'>);
    }
    return updated;
  }

  /** Soft-deletes a record, with the preconditions in the filter. Returns null if none has the ID and these values. */
  deleteById(tenant: Tenant & Preconditions, id: string, values: FieldValues<T>): Promise<Pick<T, K> | null> {
    const now = this.clock.now();
    return this.updateById(tenant, id, { deletedAt: now, updatedAt: now } as FieldChanges<T>, values);
  }

  /**
   * Inserts records and updates others, with a bulk write for each. Returns the writes that were not applied: another record
   * has the external ID, or the stored record no longer has the revision.
   */
  async writeAll(tenant: Tenant, writes: readonly BulkWrite<T>[]): Promise<ReadonlySet<BulkWrite<T>>> {
    if (writes.length === 0) return new Set();
    const toWrite = (write: BulkWrite<T>) => {
      if ('record' in write) return write;
      const { id, revision = null, changes } = write;
      return { filter: this.toFilter({ _id: id, revision }), update: toUpdate<T>(changes) };
    };
    const rejected = await this.writeMany(tenant, writes.map(toWrite), (update) => this.toPipeline(update));
    return new Set(writes.filter((_write, index) => rejected.has(index)));
  }

  /** Builds the pipeline of an update. */
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
    tenant: Tenant,
    record: T,
    key: IdempotencyKey | undefined,
    response: object,
    session?: Session,
  ): Promise<void> {
    const insert = (inserted: T) =>
      this.insertOne(tenant, inserted, session).catch((error: unknown) => {
        if (isViolationOf(idempotencyIndexName, error)) throw new IdempotencyKeyUsed(error);
        return this.rejectTakenBy(tenant, record, error);
      });
    if (key === undefined) return insert(record);
    const withResponse = { ...record, idempotency: toFirstResponse(key, response, this.clock.now()) };
    try {
      await insert(withResponse);
    } catch (error) {
      if (!(error instanceof IdempotencyKeyUsed)) throw error;
      const first = await this.findFirstResponse(tenant, key);
      if (first !== null) throw new IdempotencyKeyUsed(error, first);
      const expired = this.ofKey(key, '$lte');
      await this.updateOne(tenant, expired, { $unset: { idempotency: 1 } }, ['_id'], { withDeleted: true });
      await insert(withResponse);
    }
  }

  /**
   * Returns the first response to a key of the last 24 hours, or null. Reads with majority concern, because a write
   * that a failover can still roll back must not be replayed.
   */
  async findFirstResponse(tenant: Tenant, key: IdempotencyKey): Promise<FirstResponse | null> {
    const options = { readConcern: 'majority', withDeleted: true } as const;
    const found = await this.findOne(tenant, this.ofKey(key, '$gt'), ['idempotency'], options);
    return found?.idempotency ?? null;
  }

  /** Throws 40905, with the ID of the other record if these fields have the external ID; every other error as it is. */
  protected async rejectTakenBy(tenant: Tenant, fields: FieldValues<T>, error: unknown): Promise<never> {
    if (!isViolationOf(externalIdIndexName, error)) throw error;
    const { externalId, teamId } = fields as { externalId?: string; teamId?: unknown };
    const filter = this.toFilter({ externalId, teamId } as FieldValues<T>);
    const other = externalId === undefined ? null : await this.findOne(tenant, filter, ['_id']);
    const { message: unnamed } = errorCatalogue.externalIdTaken;
    const message = other === null ? unnamed : `The record ${String(other._id)} has this externalId`;
    throw new ServiceError('externalIdTaken', { message, details: [{ field: 'externalId', message }], cause: error });
  }

  /** Matches the record that a key has created, if its 24 hours are not (`$gt`) or are (`$lte`) over. */
  private ofKey({ route, keyHash }: IdempotencyKey, comparison: '$gt' | '$lte'): QueryFilter<T> {
    const at = { [comparison]: new Date(this.clock.now().getTime() - idempotency) };
    return { 'idempotency.scope': route, 'idempotency.keyHash': keyHash, 'idempotency.at': at };
  }
}
