import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { ApiKeyScope } from '../common/context/api-key-scopes.js';
import { queryTimeLimit } from '../database/reading.js';
import type { RecordId } from '../database/record.js';
import { apiKeyModel, type ApiKeyRecord, type PreviousSecret } from './api-key.schema.js';

/** All that is needed to judge a presented key, read in one round trip. */
export interface PresentedKeyRecord {
  readonly _id: RecordId;
  readonly keyPrefix: string;
  readonly secretHash: string;
  readonly secretTag?: string;
  readonly previous?: PreviousSecret | null;
  readonly scopes?: readonly ApiKeyScope[];
  readonly allowedAddresses?: readonly string[];
  readonly status: ApiKeyRecord['status'];
  readonly expiresAt?: Date;
  readonly organization?: { readonly _id: RecordId; readonly name: string; readonly disabledAt?: Date | null };
  readonly creator?: { readonly _id: RecordId; readonly disabledAt?: Date | null };
}

/** The fields that a key is judged by. */
const judged = {
  ...{ keyPrefix: 1, secretHash: 1, secretTag: 1, previous: 1 },
  ...{ scopes: 1, allowedAddresses: 1, status: 1, expiresAt: 1, organizationId: 1 },
} as const;

/** Reads what a presented key is judged by. */
@Injectable()
export class PresentedKeysRepository {
  constructor(@InjectModel(apiKeyModel) private readonly model: Model<ApiKeyRecord>) {}

  /** A key with its organization and the organization's creator, as they are at this moment. */
  async findPresented(keyPrefix: string): Promise<PresentedKeyRecord | null> {
    const [found] = await this.model
      .aggregate<PresentedKeyRecord>([
        { $match: { keyPrefix } },
        { $project: judged },
        joined('organizations', 'organizationId', 'organization', { name: 1, disabledAt: 1, creatorId: 1 }),
        { $set: { organization: { $first: '$organization' } } },
        joined('users', 'organization.creatorId', 'creator', { disabledAt: 1 }),
        { $set: { creator: { $first: '$creator' } } },
      ])
      .option({ maxTimeMS: queryTimeLimit })
      .exec();
    return found ?? null;
  }
}

function joined(from: string, localField: string, as: string, fields: Record<string, 1>) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline: [{ $project: fields }] } };
}
