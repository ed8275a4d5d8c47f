import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../common/context/request-context.js';
import type { Page, PageQuery } from '../common/http/paging.js';
import { FollowedChanges } from '../database/followed-changes.js';
import { insertRecord } from '../database/insert-record.js';
import { type ListOrder, type PageStart, queryTimeLimit, readPage, type StoredPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import type { RecordMemory } from '../database/record-memory.js';
import type { Session } from '../database/transaction.js';
import { seasonModel, type SeasonRecord } from './season.schema.js';

const newestFirst: ListOrder = { by: 'startDate', direction: -1 };
const rememberedSeasons = 20_000;

type SeasonOwner = Pick<SeasonRecord, '_id' | 'organizationId'>;

/** Seasons may be shared, so what an organization sees is its own and those of nobody. */
@Injectable()
export class SeasonsRepository {
  private readonly owners: RecordMemory<SeasonOwner>;

  constructor(
    @InjectModel(seasonModel) private readonly model: Model<SeasonRecord>,
    changes: FollowedChanges,
  ) {
    this.owners = changes.memoryOf(model.collection.name, rememberedSeasons);
  }

  /** Stores a season, as a part of a transaction. */
  insert(season: SeasonRecord, session: Session): Promise<void> {
    return insertRecord(this.model, season, session);
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

  /** Whose season it is, remembered or read: an organization's id, `shared`, or null where there is no such season. */
  async ownerOf(id: string): Promise<string | null> {
    const recalled = this.owners.recall(id.toLowerCase());
    const [season] = recalled
      ? [recalled]
      : await this.owners.read(
          ({ _id }) => String(_id),
          () => this.findOwner(id),
        );
    return season === undefined ? null : String(season.organizationId ?? 'shared');
  }

  private async findOwner(id: string): Promise<SeasonOwner[]> {
    const season = await this.model
      .findById(toRecordId(id), { organizationId: 1 })
      .maxTimeMS(queryTimeLimit)
      .lean<SeasonOwner>()
      .exec();
    return season === null ? [] : [season];
  }
}
