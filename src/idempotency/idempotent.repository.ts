import type { IndexDefinition, IndexOptions, Model, QueryFilter, SchemaDefinition } from 'mongoose';
import type { Clock } from '../common/clock.js';
import type { OrganizationScope, RequestContext } from '../common/context/request-context.js';
import { UniqueIndexViolation } from '../database/operations.js';
import { OrganizationRepository } from '../database/organization.repository.js';
import { newRecordId, type OrganizationRecord, type RecordId, reference, toRecordId } from '../database/record.js';
import type { IdempotencyKey } from './idempotency-key.js';

const rememberedMilliseconds = 24 * 60 * 60 * 1000;

/** What a created record carries of the request that made it: stored with it in one write, so never without it. */
export interface IdempotencyStamp extends IdempotencyKey {
  /** The first answer's body, as JSON. */
  readonly answer: string;
  readonly at: Date;
}

/** A record that partners create: beside its public fields, what no response shows. */
export interface IdempotentRecord extends OrganizationRecord {
  createdBy: RecordId;
  /** Set: the record is deleted softly. */
  deletedAt: Date | null;
  idempotency?: IdempotencyStamp;
}

/** Returns what every new record has that the caller creates. */
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
/** The stored fields of such a record beside those of its resource. */
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

/** Serves the look-up of a used idem-key, and refuses a second record for it. */
export const idempotencyIndex: [IndexDefinition, IndexOptions] = [
  { organizationId: 1, 'idempotency.scope': 1, 'idempotency.keyHash': 1 },
  { name: indexName, unique: true, partialFilterExpression: { 'idempotency.keyHash': { $exists: true } } },
];

/** The key of this request made a record before. */
export class IdempotencyKeyUsed extends Error {
  /** @param stamp what that request left, where it is known already */
  constructor(
    cause: unknown,
    readonly stamp?: IdempotencyStamp,
  ) {
    super('The idem-key was used', { cause });
    this.name = 'IdempotencyKeyUsed';
  }
}

/** Records that partners create with an `idem-key`. */
export abstract class IdempotentRepository<T extends IdempotentRecord> extends OrganizationRepository<T> {
  protected constructor(
    model: Model<T>,
    private readonly clock: Clock,
  ) {
    super(model);
  }

  /**
   * Stores a record, and with a key the request's mark in the same write.
   * @throws IdempotencyKeyUsed where the key made a record in the last 24 hours
   */
  async insertOnce(
    scope: OrganizationScope,
    record: T,
    key: IdempotencyKey | undefined,
    answer: object,
  ): Promise<void> {
    if (key === undefined) return this.insertOne(scope, record);
    const stamped = { ...record, idempotency: { ...key, answer: JSON.stringify(answer), at: this.clock.now() } };
    try {
      await this.insertOne(scope, stamped);
    } catch (error) {
      if (!(error instanceof UniqueIndexViolation) || error.indexName !== indexName) throw error;
      const stamp = await this.findStamp(scope, key);
      if (stamp !== null) throw new IdempotencyKeyUsed(error, stamp);
      await this.forgetOutdated(scope, key);
      await this.insertOne(scope, stamped).catch((again: unknown) => {
        throw again instanceof UniqueIndexViolation ? new IdempotencyKeyUsed(again) : again;
      });
    }
  }

  /**
   * What the key's first request left, if that was in the last 24 hours. What a failover may still take back is not there
   * yet: its answer must not be given again.
   */
  async findStamp(scope: OrganizationScope, key: IdempotencyKey): Promise<IdempotencyStamp | null> {
    const recent = { ...ofKey<T>(key), 'idempotency.at': { $gt: this.oldest() } };
    const found = await this.findOne(scope, recent, ['idempotency'], 'majority');
    return found?.idempotency ?? null;
  }

  private async forgetOutdated(scope: OrganizationScope, key: IdempotencyKey): Promise<void> {
    const outdated = { ...ofKey<T>(key), 'idempotency.at': { $lte: this.oldest() } };
    await this.updateOne(scope, outdated, { $unset: { idempotency: 1 } }, ['_id']);
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - rememberedMilliseconds);
  }
}

function ofKey<T extends IdempotentRecord>(key: IdempotencyKey): QueryFilter<T> {
  return { 'idempotency.scope': key.scope, 'idempotency.keyHash': key.keyHash };
}
