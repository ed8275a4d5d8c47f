import type { IndexDefinition, IndexOptions, Model, QueryFilter, SchemaDefinition } from 'mongoose';
import type { Clock } from '../common/clock.js';
import type { IdempotencyKey, OrganizationScope, RequestContext } from '../common/context/request-context.js';
import { UniqueIndexViolation } from '../database/operations.js';
import { OrganizationRepository } from '../database/organization.repository.js';
import { newRecordId, type OrganizationRecord, type RecordId, reference, toRecordId } from '../database/record.js';

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

/** Repository of records that can be created with an `idem-key`. */
export abstract class IdempotentRepository<T extends IdempotentRecord> extends OrganizationRepository<T> {
  protected constructor(
    model: Model<T>,
    private readonly clock: Clock,
  ) {
    super(model);
  }

  /**
   * Inserts a record, with the key and response in the same write.
   * @throws IdempotencyKeyUsed if the key was used in the last 24 hours
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
