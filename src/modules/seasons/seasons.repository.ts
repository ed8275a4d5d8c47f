import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import type { Page } from '../../http/paging.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { findOneAndUpdateRecord, findOneRecord, findRecords, insertRecord } from '../../database/operations.js';
import { type ListOrder, type PageStart, readPage, type StoredPage } from '../../database/list-queries.js';
import { projectionOf } from '../../database/organization.repository.js';
import { type FieldChanges, toRecordId, toUpdate, withRevision } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { ListAllSeasonsQuery } from './season.dto.js';
import { Season, seasonModel, type SeasonRecord } from './season.schema.js';

const newestFirst: ListOrder = { by: 'startDate', direction: -1 };
const cachedSeasons = 20_000;

const projection = projectionOf(fieldNamesOf(Season));

type SeasonOwner = Pick<SeasonRecord, '_id' | 'organizationId'>;

/** An organization can use its own seasons and shared ones, which have no organization. */
@Injectable()
export class SeasonsRepository {
  private readonly owners: CoherentCache<SeasonOwner>;

  constructor(
    @InjectModel(seasonModel) private readonly model: Model<SeasonRecord>,
    changes: ChangeStreamService,
  ) {
    const collections = [model.collection.name];
    this.owners = changes.createCache({ collections, max: cachedSeasons, idsOf: ({ _id }) => [String(_id)] });
  }

  /** Inserts a season in a transaction. */
  insert(season: SeasonRecord, session: Session): Promise<void> {
    return insertRecord(this.model, season, session);
  }

  /** Returns a page of the seasons that the organization can use. */
  findVisible(scope: OrganizationScope, start: PageStart): Promise<StoredPage<Season>> {
    return readPage(this.model, visibleTo(scope), projection, { ...start, order: newestFirst });
  }

  /** Returns a season that the organization can use, or null if there is none. */
  findVisibleById(scope: OrganizationScope, id: string): Promise<Season | null> {
    return findOneRecord(this.model, { _id: toRecordId(id), ...visibleTo(scope) }, { projection });
  }

  /** Returns a season with the session of a transaction, or null if there is none. */
  findById(id: string, session: Session): Promise<Season | null> {
    return findOneRecord(this.model, { _id: toRecordId(id) }, { projection, session });
  }

  /** Returns the updated season, or null if there is none. */
  updateById(id: string, changes: FieldChanges<SeasonRecord>, session: Session): Promise<Season | null> {
    const filter = { _id: toRecordId(id) };
    return findOneAndUpdateRecord(this.model, filter, toUpdate(changes), { projection, session }, withRevision);
  }

  /** Returns a page of the seasons of an organization, or of all. */
  findAll({ organizationId, ...page }: ListAllSeasonsQuery): Promise<Page<Season>> {
    const filter = organizationId === undefined ? {} : { organizationId: toRecordId(organizationId) };
    return readPage(this.model, filter, projection, { ...page, order: newestFirst });
  }

  /** Returns the owners of those seasons that exist, cached or read with one query: an organization ID or `shared`. */
  async findOwners(ids: readonly string[]): Promise<Map<string, string>> {
    const options = { projection: { organizationId: 1 }, sort: { _id: 1 } } as const;
    const load = (missing: readonly string[]) =>
      findRecords<SeasonOwner>(this.model, { _id: { $in: missing.map(toRecordId) } }, options);
    const seasons = await this.owners.getOrLoadAll(ids, (id) => id, load);
    return new Map(seasons.map(({ _id, organizationId }) => [String(_id), String(organizationId ?? 'shared')]));
  }
}

/** Matches the records of the organization and shared ones. */
export function visibleTo({ organization }: OrganizationScope) {
  return { organizationId: { $in: [toRecordId(organization.id), null] } };
}
