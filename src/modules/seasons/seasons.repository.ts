import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import type { Page } from '../../http/paging.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { Clock } from '../../config/clock.js';
import { type ListOrder, type PageStart, readPage, type StoredPage } from '../../database/list-queries.js';
import { notDeleted } from '../../database/plugins/soft-delete.js';
import { inserting } from '../../database/plugins/operation-options.js';
import {
  assertMutable,
  type FieldChanges,
  projectionOf,
  toRecordId,
  toUpdate,
  withRevision,
} from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { SyncedRepository } from '../../records/synced.repository.js';
import type { ListAllSeasonsQuery } from './season.dto.js';
import { type AnySeasonRecord, Season, SeasonRecord } from './season.schema.js';

const newestFirst: ListOrder = { by: 'startDate', direction: -1 };
const cachedSeasons = 20_000;

const publicFields = fieldNamesOf(Season);
const projection = projectionOf(publicFields);
/** No season is deleted, and the indexes of the lists do not have `deletedAt`. */
const withDeleted = true;

type SeasonOwner = Pick<AnySeasonRecord, '_id' | 'organizationId'>;

/**
 * An organization can use its own seasons and shared ones, which have no organization. Methods without a tenant are those of
 * super admins, or of services that compare the organization.
 */
@Injectable()
export class SeasonsRepository extends SyncedRepository<SeasonRecord, keyof Season> {
  private readonly owners: CoherentCache<SeasonOwner>;

  constructor(
    @InjectModel(SeasonRecord.name) private readonly seasons: Model<SeasonRecord>,
    clock: Clock,
    changeStream: ChangeStreamService,
  ) {
    super(seasons, publicFields, clock);
    this.owners = changeStream.createCache([seasons.collection.name], cachedSeasons, ({ _id }) => [String(_id)]);
  }

  /** Inserts any season in a transaction. */
  async insert(season: AnySeasonRecord, session: Session): Promise<void> {
    await this.seasons.insertMany([season as SeasonRecord], inserting(session));
  }

  /** Returns a page of the seasons that the organization can use; only its own ones have an external ID. */
  findVisible(tenant: Tenant, externalId: string | undefined, start: PageStart): Promise<StoredPage<Season>> {
    const organizationId = toRecordId(tenant.organization.id);
    const filter = externalId === undefined ? visibleTo(tenant) : { organizationId, externalId, ...notDeleted };
    return readPage<SeasonRecord, Season>(this.seasons, filter, projection, {
      ...start,
      order: newestFirst,
      withDeleted,
    });
  }

  /** Returns a season that the organization can use, or null if it does not exist. */
  findVisibleById(tenant: Tenant, id: string): Promise<Season | null> {
    const query = this.seasons.findOne({ _id: id, ...visibleTo(tenant) }, projection);
    return query.lean<Season>().exec();
  }

  /** Returns any season with the session of a transaction, or null if it does not exist. */
  findAnyById(id: string, session: Session): Promise<Season | null> {
    return this.seasons.findOne({ _id: id }, projection, { session, allTenants: true }).lean<Season>().exec();
  }

  /** Returns any season after an update, or null if it does not exist. An `externalId` must be unique in the organization. */
  updateAnyById(id: string, changes: FieldChanges<SeasonRecord>, session: Session, tenant?: Tenant) {
    const update = toUpdate(changes);
    assertMutable(this.seasons.schema, update);
    const options = { projection, session, allTenants: true, returnDocument: 'after', updatePipeline: true } as const;
    const query = this.seasons.findOneAndUpdate({ _id: id }, withRevision(update), options);
    const updated = query.lean<Season>().exec();
    return tenant ? updated.catch((error: unknown) => this.rejectTakenBy(tenant, changes, error)) : updated;
  }

  /** Returns a page of the seasons of an organization, or of all. */
  findAny({ organizationId, ...page }: ListAllSeasonsQuery): Promise<Page<Season>> {
    const filter = organizationId === undefined ? {} : { organizationId: toRecordId(organizationId) };
    return readPage<SeasonRecord, Season>(this.seasons, filter, projection, {
      ...page,
      order: newestFirst,
      allTenants: true,
      withDeleted,
    });
  }

  /** Returns the owners of those seasons that exist, cached or read with one query: an organization ID or `shared`. */
  async findOwners(ids: readonly string[]): Promise<Map<string, string>> {
    const options = { sort: { _id: 1 }, allTenants: true } as const;
    const load = (missing: readonly string[]) =>
      this.seasons
        .find({ _id: { $in: missing } }, { organizationId: 1 }, options)
        .lean()
        .exec();
    const seasons = await this.owners.getOrLoadAll(ids, (id) => id, load);
    return new Map(seasons.map(({ _id, organizationId }) => [String(_id), String(organizationId ?? 'shared')]));
  }
}

/** Matches the records of a kind that the organization can use: of seasons also shared ones. */
export function usableBy(tenant: Tenant, kind: string) {
  return kind === 'season' ? visibleTo(tenant) : { organizationId: toRecordId(tenant.organization.id) };
}

/** Matches the records of the organization and shared ones. */
export function visibleTo({ organization }: Tenant) {
  return { organizationId: { $in: [toRecordId(organization.id), null] } };
}
