import type { IndexDefinition, IndexOptions, Model, QueryFilter, SchemaDefinition } from 'mongoose';
import type { Clock } from '../common/clock.js';
import type { IdempotencyKey, OrganizationScope, RequestContext } from '../common/context/request-context.js';
import type { CausalRead } from '../database/database.service.js';
import { UniqueIndexViolation } from '../database/operations.js';
import type { PageStart, StoredPage } from '../database/list-queries.js';
import { notDeleted, OrganizationRepository } from '../database/organization.repository.js';
import {
  type FeedRecord,
  type FieldChanges,
  newRecordId,
  type OrganizationRecord,
  type RecordId,
  reference,
  toRecordId,
  toUpdate,
} from '../database/record.js';

const retentionMilliseconds = 24 * 60 * 60 * 1000;

/** The key and first response of a create request, stored in the created record and thus in the same atomic write. */
export interface FirstResponse extends IdempotencyKey {
  /** Response body as JSON. */
  readonly answer: string;
  readonly at: Date;
}

/** Internal fields of a record that API keys create. */
export interface IdempotentRecord extends OrganizationRecord {
  createdBy: RecordId;
  /** Time of the soft deletion. */
  deletedAt: Date | null;
  idempotency?: FirstResponse;
}

/** Creates the common fields of a new record. */
export function newRecord(context: RequestContext, clock: Clock): IdempotentRecord {
  const now = clock.now();
  return {
    _id: newRecordId(),
    organizationId: toRecordId(context.organization.id),
    createdBy: toRecordId(context.actingUser.id),
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

const text = { type: String, required: true };
/** Schema of the internal fields. */
export const idempotentFields = {
  createdBy: reference,
  deletedAt: { type: Date },
  idempotency: {
    type: {
      _id: false,
      scope: text,
      keyHash: text,
      fingerprint: text,
      answer: text,
      at: { type: Date, required: true },
    },
    required: false,
  },
} satisfies SchemaDefinition;

const indexName = 'one_record_per_idem_key';

/** Finds a used idem-key, and rejects a second record for it. */
export const idempotencyIndex: [IndexDefinition, IndexOptions] = [
  { organizationId: 1, 'idempotency.scope': 1, 'idempotency.keyHash': 1 },
  { name: indexName, unique: true, partialFilterExpression: { 'idempotency.keyHash': { $exists: true } } },
];

/** The idem-key of the request was used before. */
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

/** The values that a record must have by field; `null` matches an unset field, and IDs may be strings. */
type FieldValues<T> = { readonly [K in keyof T]?: unknown };

/**
 * Repository of records that API keys create, read, update and delete, optionally with an `idem-key`. Its methods
 * return the fields of responses and ignore deleted records, except `findFirstResponse`, which also finds deleted ones.
 */
export abstract class IdempotentRepository<
  T extends IdempotentRecord,
  K extends keyof T & string,
> extends OrganizationRepository<T> {
  private readonly idFields: ReadonlySet<string>;

  protected constructor(
    model: Model<T>,
    private readonly publicFields: readonly K[],
    private readonly clock: Clock,
  ) {
    super(model);
    const paths = Object.entries(model.schema.paths);
    this.idFields = new Set(paths.filter(([, { instance }]) => instance === 'ObjectId').map(([name]) => name));
  }

  /** Returns a page of the records with these values, oldest first. */
  findAll(scope: OrganizationScope, values: FieldValues<T>, start: PageStart): Promise<StoredPage<Pick<T, K>>> {
    return this.findPage(scope, this.toFilter(values), this.publicFields, start);
  }

  /** Returns a record, or null if there is none with the ID and these values. */
  findById(scope: OrganizationScope, id: string, values: FieldValues<T> = {}): Promise<Pick<T, K> | null> {
    return this.findOne(scope, this.toFilter({ ...values, _id: id }), this.publicFields);
  }

  /** Returns records for the change feed, also deleted ones. */
  async findForFeed(
    scope: OrganizationScope,
    ids: readonly string[],
    read: CausalRead,
    toResponse: (record: Pick<T, K>) => FeedRecord['record'],
  ): Promise<FeedRecord[]> {
    const filter = { _id: { $in: ids.map(toRecordId) } } as QueryFilter<T>;
    const found = await this.find(scope, filter, [...this.publicFields, 'deletedAt'], { _id: 1 }, read);
    return found.map((record) => ({ record: toResponse(record), isDeleted: record.deletedAt !== null }));
  }

  /** Updates a record atomically. Returns null if there is none with the ID and these values. */
  updateById(
    scope: OrganizationScope,
    id: string,
    changes: FieldChanges<T>,
    values: FieldValues<T> = {},
  ): Promise<Pick<T, K> | null> {
    const update = toUpdate<T>({ updatedAt: this.clock.now(), ...changes });
    return this.updateOne(scope, this.toFilter({ ...values, _id: id }), update, this.publicFields);
  }

  /** Soft-deletes a record. Returns null if there is none with the ID and these values. */
  deleteById(scope: OrganizationScope, id: string, values: FieldValues<T>): Promise<Pick<T, K> | null> {
    const now = this.clock.now();
    return this.updateById(scope, id, { deletedAt: now, updatedAt: now } as FieldChanges<T>, values);
  }

  /** Returns the filter of records that are not deleted and have these values. */
  protected toFilter(values: FieldValues<T>): QueryFilter<T> {
    const entries = Object.entries(values).map(([field, value]) => {
      return [field, typeof value === 'string' && this.idFields.has(field) ? toRecordId(value) : value];
    });
    return { ...Object.fromEntries(entries), ...notDeleted } as QueryFilter<T>;
  }

  /**
   * Inserts a record, with the key and response in the same write.
   * @throws IdempotencyKeyUsed if the key was used in the last 24 hours; `IdempotencyInterceptor` handles it
   */
  async insertIdempotent(
    scope: OrganizationScope,
    record: T,
    key: IdempotencyKey | undefined,
    response: object,
  ): Promise<void> {
    if (key === undefined) return this.insertOne(scope, record);
    const withResponse = { ...record, idempotency: { ...key, answer: JSON.stringify(response), at: this.clock.now() } };
    try {
      await this.insertOne(scope, withResponse);
    } catch (error) {
      if (!(error instanceof UniqueIndexViolation) || error.indexName !== indexName) throw error;
      const first = await this.findFirstResponse(scope, key);
      if (first !== null) throw new IdempotencyKeyUsed(error, first);
      await this.unsetExpired(scope, key);
      await this.insertOne(scope, withResponse).catch((retryError: unknown) => {
        throw retryError instanceof UniqueIndexViolation ? new IdempotencyKeyUsed(retryError) : retryError;
      });
    }
  }

  /**
   * Returns the first response to a key of the last 24 hours, or null. Reads with majority concern, because a write
   * that a failover can still roll back must not be replayed.
   */
  async findFirstResponse(scope: OrganizationScope, key: IdempotencyKey): Promise<FirstResponse | null> {
    const recent = { ...ofKey<T>(key), 'idempotency.at': { $gt: this.expiryTime() } };
    const found = await this.findOne(scope, recent, ['idempotency'], 'majority');
    return found?.idempotency ?? null;
  }

  private async unsetExpired(scope: OrganizationScope, key: IdempotencyKey): Promise<void> {
    const expired = { ...ofKey<T>(key), 'idempotency.at': { $lte: this.expiryTime() } };
    await this.updateOne(scope, expired, { $unset: { idempotency: 1 } }, ['_id']);
  }

  private expiryTime(): Date {
    return new Date(this.clock.now().getTime() - retentionMilliseconds);
  }
}

function ofKey<T extends IdempotentRecord>(key: IdempotencyKey): QueryFilter<T> {
  return { 'idempotency.scope': key.scope, 'idempotency.keyHash': key.keyHash };
}
