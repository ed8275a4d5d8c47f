import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import type { Page } from '../../http/paging.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { containing, readPage } from '../../database/list-queries.js';
import { inserting } from '../../database/plugins/operation-options.js';
import { type FieldChanges, projectionOf, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { OrganizationRecord } from '../organizations/organization.schema.js';
import type { UserRecord } from '../users/user.schema.js';
import type { ListApiKeysQuery } from './api-key.dto.js';
import { ApiKey, ApiKeyRecord, type ListedKey } from './api-key.schema.js';

const listedFields = projectionOf([
  '_id',
  ...fieldNamesOf(ApiKey),
  'status',
  'updatedAt',
  'createdBy',
  'lastRotatedBy',
  'previous.expiresAt',
]);

const keyFields = [
  ...(['_id', 'name', 'keyPrefix', 'secretHash', 'secretTag', 'previous'] as const),
  ...(['scopes', 'allowedAddresses', 'status', 'expiresAt', 'revokedAt', 'organizationId'] as const),
] as const;
const ownerFields = ['_id', 'disabledAt', 'erasingSince', 'isSandbox', 'resets', 'creatorId'];
const creatorFields = ['_id', 'disabledAt'];

/** Everything that decides whether a presented key is valid. */
export type KeyWithOwner = Pick<ApiKeyRecord, (typeof keyFields)[number]> & {
  readonly organization: Pick<OrganizationRecord, '_id' | 'disabledAt' | 'erasingSince' | 'isSandbox' | 'resets'>;
  /** The creator of the organization. */
  readonly creator: Pick<UserRecord, '_id' | 'disabledAt'>;
};

/** Keys are read before their organization is known, and by super admins. */
const allTenants = true;

/** The last use of one of a key's secrets. */
export interface KeyUse {
  readonly keyId: string;
  readonly at: Date;
  /** Empty if it is unknown. */
  readonly address: string;
  readonly isPreviousSecret: boolean;
}

const unordered = { ordered: false, throwOnValidationError: true, allTenants } as const;

const maxCachedKeys = 10_000;

@Injectable()
export class ApiKeysRepository {
  /** Keys by prefix. */
  private readonly cache: CoherentCache<KeyWithOwner>;
  /** Returns whether `findByPrefix` needs no query. */
  readonly isCached = (keyPrefix: string): boolean => this.cache.get(keyPrefix) !== undefined;

  constructor(
    @InjectModel(ApiKeyRecord.name) private readonly model: Model<ApiKeyRecord>,
    changeStream: ChangeStreamService,
  ) {
    const collections = [model.collection.name, 'organizations', 'users'];
    const idsOf = ({ _id, organization, creator }: KeyWithOwner) => [_id, organization._id, creator._id].map(String);
    this.cache = changeStream.createCache(collections, maxCachedKeys, idsOf);
  }

  /** Returns a key, its organization and the creator of that, cached or read in one query; null if one is missing. */
  findByPrefix(keyPrefix: string): Promise<KeyWithOwner | null> {
    return this.cache.getOrLoad(keyPrefix, async () => {
      const pipeline = [
        { $match: { keyPrefix } },
        { $project: projectionOf(keyFields) },
        lookup('organizations', 'organizationId', 'organization', ownerFields),
        { $set: { organization: { $first: '$organization' } } },
        lookup('users', 'organization.creatorId', 'creator', creatorFields),
        { $set: { creator: { $first: '$creator' } } },
        { $match: { creator: { $exists: true } } },
      ];
      const [found] = await this.model.aggregate<KeyWithOwner>(pipeline, { allTenants });
      return found ?? null;
    });
  }

  /** Returns the beginning of an active key that begins with none of the prefixes. */
  async findOtherPrefix(prefixes: readonly string[]): Promise<string | undefined> {
    const isOther = { $gte: '', $not: new RegExp(`^(${prefixes.join('|')})`) };
    const filter = { status: 'active', keyPrefix: isOther } as const;
    const found = await this.model.findOne(filter, { keyPrefix: 1 }, { allTenants }).lean();
    return found?.keyPrefix;
  }

  async insert(key: ApiKeyRecord, session: Session): Promise<void> {
    await this.model.insertMany([key], inserting(session));
  }

  /**
   * Returns a page of the keys that match, in order of creation, or of expiry if they are filtered by it.
   * @param disabled the organizations whose keys match or do not match `organizationDisabled`
   */
  findPage(
    { page, limit, ...filters }: ListApiKeysQuery,
    now: Date,
    disabled?: ReadonlySet<string>,
  ): Promise<Page<ListedKey>> {
    const order = { by: filters.expiresBefore ? 'expiresAt' : 'createdAt', direction: 1 } as const;
    const options = { page, limit, order, allTenants };
    return readPage(this.model, toFilter(filters, now, disabled), listedFields, options);
  }

  findById(id: string, session?: Session): Promise<ApiKeyRecord | null> {
    const options = { session: session ?? null, allTenants };
    return this.model.findOne({ _id: id }, {}, options).lean().exec();
  }

  /** Changes the fields of a key. Returns null if it is revoked, or does not match the condition. */
  updateById(
    id: string,
    changes: FieldChanges<ApiKeyRecord>,
    session: Session,
    condition: QueryFilter<ApiKeyRecord> = {},
  ): Promise<ListedKey | null> {
    const filter: QueryFilter<ApiKeyRecord> = { _id: toRecordId(id), status: 'active', ...condition };
    const options = { projection: listedFields, session, allTenants, returnDocument: 'after' } as const;
    return this.model.findOneAndUpdate(filter, toUpdate(changes), options).lean<ListedKey>().exec();
  }

  /** Ends the grace period of the previous secret. Returns null outside of a grace period. */
  endGracePeriod(id: string, now: Date, session: Session): Promise<ListedKey | null> {
    return this.updateById(id, { previous: null, updatedAt: now }, session, { 'previous.expiresAt': { $gt: now } });
  }

  /** Stores when and from where keys were last used. */
  async updateLastUsed(uses: readonly KeyUse[]): Promise<void> {
    const writes = uses.map(({ keyId, at, address, isPreviousSecret }) => {
      const $max = { lastUsedAt: at, ...(isPreviousSecret && { previousSecretUsedAt: at }) };
      return { updateOne: { filter: { _id: toRecordId(keyId) }, update: { $max, $set: { lastUsedFrom: address } } } };
    });
    await this.model.bulkWrite(writes, unordered);
  }

  /** Removes previous secrets whose grace period is over. A TTL index would remove the whole key. */
  async removePreviousSecrets(now: Date): Promise<void> {
    const isOver = { 'previous.expiresAt': { $lte: now } };
    const options = { sort: { 'previous.expiresAt': 1 }, limit: 100, allTenants } as const;
    const keys = await this.model.find(isOver, { _id: 1 }, options).lean<Pick<ApiKeyRecord, '_id'>[]>();
    const update = { $unset: { previous: true } };
    const writes = keys.map(({ _id }) => ({ updateOne: { filter: { _id, ...isOver }, update } }));
    await this.model.bulkWrite(writes, unordered);
  }
}

function toFilter(
  filters: Omit<ListApiKeysQuery, 'page' | 'limit'>,
  now: Date,
  disabled?: ReadonlySet<string>,
): QueryFilter<ApiKeyRecord> {
  const { organizationId, search, status, expiresBefore, unusedSince, organizationDisabled } = filters;
  const owner = {
    ...(organizationId !== undefined && { $eq: toRecordId(organizationId) }),
    ...(disabled && { [organizationDisabled ? '$in' : '$nin']: [...disabled].map(toRecordId) }),
  };
  const expiresAt = {
    ...(expiresBefore && { $lt: expiresBefore }),
    ...(status === 'active' && { $not: { $lte: now } }),
    ...(status === 'expired' && { $lte: now }),
  };
  return {
    ...(Object.keys(owner).length > 0 && { organizationId: owner }),
    ...(status !== undefined && { status: status === 'revoked' ? status : 'active' }),
    ...(Object.keys(expiresAt).length > 0 && { expiresAt }),
    // MongoDB checks the other conditions in `keys_by_creation` only beside one on its first field.
    createdAt: { $gte: new Date(0), ...(unusedSince && { $lt: unusedSince }) },
    ...(search !== undefined && { $or: [{ name: containing(search) }, { keyPrefix: containing(search) }] }),
    // Also matches a key that was never used.
    ...(unusedSince && { lastUsedAt: { $not: { $gte: unusedSince } } }),
  };
}

function lookup(from: string, localField: string, as: string, fields: readonly string[]) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline: [{ $project: projectionOf(fields) }] } };
}
