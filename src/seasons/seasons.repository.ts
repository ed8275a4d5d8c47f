import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../common/context/request-context.js';
import type { Page, PageQuery } from '../common/http/paging.js';
import { insertRecord } from '../database/insert-record.js';
import { type ListOrder, type PageStart, queryTimeLimit, readPage, type StoredPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import { seasonModel, type SeasonRecord } from './season.schema.js';

const newestFirst: ListOrder = { by: 'startDate', direction: -1 };

/** Seasons may be shared, so what an organization sees is its own and those of nobody. */
@Injectable()
export class SeasonsRepository {
  constructor(@InjectModel(seasonModel) private readonly model: Model<SeasonRecord>) {}

  insert(season: SeasonRecord): Promise<void> {
    return insertRecord(this.model, season);
  }

  /** A page of the seasons that the organization sees. */
  findVisible(scope: OrganizationScope, start: PageStart): Promise<StoredPage<SeasonRecord>> {
    const visible = { organizationId: { $in: [toRecordId(scope.organization.id), null] } };
    return readPage(this.model, visible, {}, { ...start, order: newestFirst });
  }

  /** A page of all seasons, for super admins. */
  findAll({ page, limit }: PageQuery): Promise<Page<SeasonRecord>> {
    return readPage(this.model, {}, {}, { page, limit, order: newestFirst });
  }

  /** Whose season it is: an organization's id, `shared`, or null where there is no such season. */
  async ownerOf(id: string): Promise<string | null> {
    const season = await this.model
      .findById(toRecordId(id), { organizationId: 1 })
      .maxTimeMS(queryTimeLimit)
      .lean<Pick<SeasonRecord, '_id' | 'organizationId'>>()
      .exec();
    return season === null ? null : String(season.organizationId ?? 'shared');
  }
}
