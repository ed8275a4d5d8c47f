import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page, PageQuery } from '../common/http/paging.js';
import { insertRecord } from '../database/insert-record.js';
import { creationOrder, queryTimeLimit, readPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import { apiKeyModel, type ApiKeyRecord } from './api-key.schema.js';

/** A key as it is listed: without the hash of its secret. */
export type ListedKey = Omit<ApiKeyRecord, 'secretHash'>;

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel(apiKeyModel) private readonly model: Model<ApiKeyRecord>) {}

  insert(key: ApiKeyRecord): Promise<void> {
    return insertRecord(this.model, key);
  }

  findOfOrganization(organizationId: string, { page, limit }: PageQuery): Promise<Page<ListedKey>> {
    const filter = { organizationId: toRecordId(organizationId) };
    return readPage(this.model, filter, { secretHash: 0 }, { page, limit, sort: creationOrder });
  }

  async exists(id: string): Promise<boolean> {
    return (
      (await this.model
        .exists({ _id: toRecordId(id) })
        .maxTimeMS(queryTimeLimit)
        .exec()) !== null
    );
  }

  /** Revokes a key that is not revoked yet, for good. */
  async revoke(id: string, now: Date): Promise<void> {
    const change = { $set: { status: 'revoked' as const, revokedAt: now, updatedAt: now } };
    await this.model.updateOne({ _id: toRecordId(id), status: 'active' }, change).exec();
  }

  /** Gives a key that is not revoked a new secret; null where there is no such key. */
  async rotate(id: string, secretHash: string, rotatedBy: string, now: Date): Promise<ApiKeyRecord | null> {
    const change = { secretHash, lastRotatedBy: toRecordId(rotatedBy), rotatedAt: now, updatedAt: now };
    return this.model
      .findOneAndUpdate({ _id: toRecordId(id), status: 'active' }, { $set: change }, { returnDocument: 'after' })
      .lean<ApiKeyRecord>()
      .exec();
  }

  /** Keeps when keys were last used; never moves a time back. */
  async markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    const writes = [...uses].map(([id, lastUsedAt]) => ({
      updateOne: { filter: { _id: toRecordId(id) }, update: { $max: { lastUsedAt } } },
    }));
    if (writes.length > 0) await this.model.bulkWrite(writes, { ordered: false });
  }
}
