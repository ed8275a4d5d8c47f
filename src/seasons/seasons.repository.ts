import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import type { OrganizationScope } from '../common/context/request-context.js';
import { offsetOf, type Page, type PageQuery } from '../common/http/paging.js';
import { insertRecord } from '../database/insert-record.js';
import { queryTimeLimit } from '../database/organization.repository.js';
import { toRecordId } from '../database/record.js';
import { seasonModel, type SeasonRecord } from './season.schema.js';

const newestFirst = { startDate: -1, _id: 1 } as const;

/** Seasons may be shared, so what an organization sees is its own and those of nobody. */
@Injectable()
export class SeasonsRepository {
  constructor(@InjectModel(seasonModel) private readonly model: Model<SeasonRecord>) {}

  insert(season: SeasonRecord): Promise<void> {
    return insertRecord(this.model, season);
  }

  /** A page of the seasons that the organization sees. */
  findVisible(scope: OrganizationScope, page: PageQuery): Promise<Page<SeasonRecord>> {
    return this.findPage({ organizationId: { $in: [toRecordId(scope.organization.id), null] } }, page);
  }

  /** A page of all seasons, for super admins. */
  findAll(page: PageQuery): Promise<Page<SeasonRecord>> {
    // Without the hint the count of everything would read every document.
    return this.findPage({}, page, { hint: { _id: 1 } });
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

  private async findPage(
    filter: QueryFilter<SeasonRecord>,
    page: PageQuery,
    counting: { hint?: Record<string, 1> } = {},
  ): Promise<Page<SeasonRecord>> {
    const list = this.model.find(filter).sort(newestFirst).skip(offsetOf(page)).limit(page.limit);
    const [data, total] = await Promise.all([
      list.maxTimeMS(queryTimeLimit).lean<SeasonRecord[]>().exec(),
      this.model.countDocuments(filter, counting).maxTimeMS(queryTimeLimit).exec(),
    ]);
    return { data, total };
  }
}
