import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Page, PageQuery } from '../common/http/paging.js';
import { toUpdate } from '../database/field-changes.js';
import { insertRecord } from '../database/insert-record.js';
import { findOneAndUpdateRecord, writeTimeLimit } from '../database/operations.js';
import { creationOrder, queryTimeLimit, readPage } from '../database/reading.js';
import { type RecordId, toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { apiKeyModel, type ApiKeyRecord, type PreviousSecret } from './api-key.schema.js';

const listedFields = {
  ...{ organizationId: 1, name: 1, keyPrefix: 1, scopes: 1, allowedAddresses: 1, status: 1, expiresAt: 1 },
  ...{ createdBy: 1, createdAt: 1, lastUsedAt: 1, lastRotatedBy: 1, rotatedAt: 1, 'previous.expiresAt': 1 },
} as const;

/** A key as it is listed: nothing of its secrets. */
export type ListedKey = Omit<ApiKeyRecord, 'secretHash' | 'secretTag' | 'previous' | 'updatedAt' | 'revokedAt'> & {
  readonly previous?: Pick<PreviousSecret, 'expiresAt'> | null;
};

/** What a rotation starts from. */
export type KeyInUse = Pick<ApiKeyRecord, '_id' | 'status' | 'secretHash' | 'secretTag'>;

/** What a rotation writes. */
export interface Rotation {
  readonly secretHash: string;
  readonly secretTag: string;
  /** The outgoing secret, where it works a while longer. */
  readonly previous?: PreviousSecret;
  readonly rotatedBy?: RecordId;
  readonly rotatedAt: Date;
}

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel(apiKeyModel) private readonly model: Model<ApiKeyRecord>) {}

  insert(key: ApiKeyRecord, session: Session): Promise<void> {
    return insertRecord(this.model, key, session);
  }

  findOfOrganization(organizationId: string, { page, limit }: PageQuery): Promise<Page<ListedKey>> {
    const filter = { organizationId: toRecordId(organizationId) };
    return readPage(this.model, filter, listedFields, { page, limit, order: creationOrder });
  }

  /** What a key's changes start from, or null for an unknown key. */
  async findInUse(id: string): Promise<KeyInUse | null> {
    return this.model
      .findOne({ _id: toRecordId(id) }, { status: 1, secretHash: 1, secretTag: 1 })
      .maxTimeMS(queryTimeLimit)
      .lean<KeyInUse>()
      .exec();
  }

  /** Revokes a key, for good and with both its secrets; null where it is revoked already. */
  revoke(id: string, now: Date, session: Session): Promise<ListedKey | null> {
    const changes = { status: 'revoked', revokedAt: now, previous: null, updatedAt: now } as const;
    return this.change({ _id: toRecordId(id), status: 'active' }, toUpdate<ApiKeyRecord>(changes), session);
  }

  /**
   * Puts a new secret in the place of the one that was read; null where that is no longer the key's, or the key is
   * revoked. The secret before it is dead with this, in whatever grace it was.
   */
  rotate({ _id, secretHash }: KeyInUse, rotation: Rotation, session: Session): Promise<ListedKey | null> {
    const { rotatedBy, rotatedAt, previous, ...secret } = rotation;
    const changes = {
      ...secret,
      previous: previous ?? null,
      lastRotatedBy: rotatedBy ?? null,
      rotatedAt,
      updatedAt: rotatedAt,
    };
    return this.change({ _id, secretHash, status: 'active' }, toUpdate<ApiKeyRecord>(changes), session);
  }

  /** Ends the grace of the secret before the last rotation; null where it has none, or one that is over. */
  endGrace(id: string, now: Date, session: Session): Promise<ListedKey | null> {
    const changes = { previous: null, updatedAt: now };
    const filter = { _id: toRecordId(id), 'previous.expiresAt': { $gt: now } };
    return this.change(filter, toUpdate<ApiKeyRecord>(changes), session);
  }

  /** Keeps when keys were last used; never moves a time back. */
  async markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    const writes = [...uses].map(([id, lastUsedAt]) => ({
      updateOne: { filter: { _id: toRecordId(id) }, update: { $max: { lastUsedAt } } },
    }));
    if (writes.length > 0) await this.model.bulkWrite(writes, { ordered: false, maxTimeMS: writeTimeLimit });
  }

  private change(
    filter: QueryFilter<ApiKeyRecord>,
    update: UpdateQuery<ApiKeyRecord>,
    session: Session,
  ): Promise<ListedKey | null> {
    return findOneAndUpdateRecord<ListedKey>(this.model, filter, update, { projection: listedFields, session });
  }
}
