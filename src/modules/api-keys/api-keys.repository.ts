import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Page, PageQuery } from '../../common/http/paging.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import {
  findOneAndUpdateRecord,
  findOneRecord,
  insertRecord,
  measureOperation,
  writeTimeLimit,
} from '../../database/operations.js';
import { creationOrder, queryTimeLimit, readPage } from '../../database/list-queries.js';
import { type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
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

/** Everything that decides whether a presented key may be used. */
export type KeyWithOwner = Pick<
  ApiKeyRecord,
  '_id' | 'keyPrefix' | 'secretHash' | 'secretTag' | 'previous' | 'scopes' | 'allowedAddresses' | 'status' | 'expiresAt'
> & {
  readonly organization?: { readonly _id: RecordId; readonly name: string; readonly disabledAt?: Date | null };
  /** The creator of the organization. */
  readonly creator?: { readonly _id: RecordId; readonly disabledAt?: Date | null };
};

const keyFields = {
  ...{ keyPrefix: 1, secretHash: 1, secretTag: 1, previous: 1 },
  ...{ scopes: 1, allowedAddresses: 1, status: 1, expiresAt: 1, organizationId: 1 },
} as const;

const cachedKeys = 10_000;
/** Fields, with the parts of arrays, that do not decide whether a key may be used and are written often. */
const ignoredFields = /^(lastUsedAt|recentLogins)(\.|$)/;

@Injectable()
export class ApiKeysRepository {
  /** Keys by prefix. */
  readonly cache: CoherentCache<KeyWithOwner>;

  constructor(
    @InjectModel(apiKeyModel) private readonly model: Model<ApiKeyRecord>,
    changes: ChangeStreamService,
  ) {
    const collections = [model.collection.name, 'organizations', 'users'];
    this.cache = changes.createCache({ collections, ignoredFields, max: cachedKeys, idsOf: idsOfKey });
  }

  /** Reads and caches a key with its organization and the organization's creator, in one query. */
  async findByPrefix(keyPrefix: string): Promise<KeyWithOwner | null> {
    const read = this.cache.startRead();
    const query = this.model
      .aggregate<KeyWithOwner>([
        { $match: { keyPrefix } },
        { $project: keyFields },
        joined('organizations', 'organizationId', 'organization', { name: 1, disabledAt: 1, creatorId: 1 }),
        { $set: { organization: { $first: '$organization' } } },
        joined('users', 'organization.creatorId', 'creator', { disabledAt: 1 }),
        { $set: { creator: { $first: '$creator' } } },
      ])
      .option({ maxTimeMS: queryTimeLimit });
    const [found] = await measureOperation('aggregate', () => query.exec());
    if (found !== undefined) read.store(keyPrefix, found);
    return found ?? null;
  }

  insert(key: ApiKeyRecord, session: Session): Promise<void> {
    return insertRecord(this.model, key, session);
  }

  findOfOrganization(organizationId: string, { page, limit }: PageQuery): Promise<Page<ListedKey>> {
    const filter = { organizationId: toRecordId(organizationId) };
    return readPage(this.model, filter, listedFields, { page, limit, order: creationOrder });
  }

  /** What a key's changes start from, or null for an unknown key. */
  findInUse(id: string): Promise<KeyInUse | null> {
    const projection = { status: 1, secretHash: 1, secretTag: 1 };
    return findOneRecord(this.model, { _id: toRecordId(id) }, { projection, maxTimeMS: queryTimeLimit });
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
    if (writes.length === 0) return;
    await measureOperation('bulkWrite', () =>
      this.model.bulkWrite(writes, { ordered: false, maxTimeMS: writeTimeLimit }),
    );
  }

  private change(
    filter: QueryFilter<ApiKeyRecord>,
    update: UpdateQuery<ApiKeyRecord>,
    session: Session,
  ): Promise<ListedKey | null> {
    return findOneAndUpdateRecord<ListedKey>(this.model, filter, update, { projection: listedFields, session });
  }
}

function joined(from: string, localField: string, as: string, fields: Record<string, 1>) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline: [{ $project: fields }] } };
}

/** If the organization or the creator is missing, nothing is cached: it may be created, and its ID would lead to no key. */
function idsOfKey({ _id, organization, creator }: KeyWithOwner): string[] | undefined {
  if (organization === undefined || creator === undefined) return undefined;
  return [_id, organization._id, creator._id].map(String);
}
