import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page, PageQuery } from '../common/http/paging.js';
import { insertRecord } from '../database/insert-record.js';
import { creationOrder, queryTimeLimit, readPage } from '../database/reading.js';
import { type RecordId, toRecordId } from '../database/record.js';
import { apiKeyModel, type ApiKeyRecord } from './api-key.schema.js';

/** All that is needed to judge a presented key, read in one round trip. */
export interface PresentedKeyRecord {
  readonly _id: RecordId;
  readonly keyPrefix: string;
  readonly secretHash: string;
  readonly status: ApiKeyRecord['status'];
  readonly expiresAt?: Date;
  readonly organization?: { readonly _id: RecordId; readonly name: string; readonly disabledAt?: Date | null };
  readonly creator?: { readonly _id: RecordId; readonly disabledAt?: Date | null };
}

/** A key as it is listed: without the hash of its secret. */
export type ListedKey = Omit<ApiKeyRecord, 'secretHash'>;

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel(apiKeyModel) private readonly model: Model<ApiKeyRecord>) {}

  insert(key: ApiKeyRecord): Promise<void> {
    return insertRecord(this.model, key);
  }

  /** A key with its organization and the organization's creator, as they are at this moment. */
  async findPresented(keyPrefix: string): Promise<PresentedKeyRecord | null> {
    const [found] = await this.model
      .aggregate<PresentedKeyRecord>([
        { $match: { keyPrefix } },
        { $project: { keyPrefix: 1, secretHash: 1, status: 1, expiresAt: 1, organizationId: 1 } },
        joined('organizations', 'organizationId', 'organization', { name: 1, disabledAt: 1, creatorId: 1 }),
        { $set: { organization: { $first: '$organization' } } },
        joined('users', 'organization.creatorId', 'creator', { disabledAt: 1 }),
        { $set: { creator: { $first: '$creator' } } },
      ])
      .option({ maxTimeMS: queryTimeLimit })
      .exec();
    return found ?? null;
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

function joined(from: string, localField: string, as: string, fields: Record<string, 1>) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline: [{ $project: fields }] } };
}
