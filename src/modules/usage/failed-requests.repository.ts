import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { type ListOrder, type PageStart, readPageWithoutTotal, type StoredPage } from '../../database/list-queries.js';
import { inserting } from '../../database/plugins/operation-options.js';
import { UniqueIndexViolation } from '../../database/plugins/write-errors.js';
import { toRecordId } from '../../database/record.js';
import type { ListFailedRequestsQuery } from './usage.dto.js';
import { FailedRequestRecord } from './failed-request.schema.js';

const newestFirst: ListOrder = { by: 'at', direction: -1, idDirection: -1 };

@Injectable()
export class FailedRequestsRepository {
  constructor(@InjectModel(FailedRequestRecord.name) private readonly model: Model<FailedRequestRecord>) {}

  /** Stores requests, of which some can be stored already: by an earlier try whose response was lost. */
  async insert(requests: readonly FailedRequestRecord[]): Promise<void> {
    await this.model.insertMany(requests, { ...inserting(), ordered: false }).catch((error: unknown) => {
      if (!(error instanceof UniqueIndexViolation)) throw error;
    });
  }

  /** Returns a page of the requests that match, newest first. `from` is inclusive, `to` exclusive. */
  findNewest(
    { organizationId, apiKeyId, from, to, ...values }: Omit<ListFailedRequestsQuery, 'cursor' | 'limit'>,
    start: PageStart,
  ): Promise<Omit<StoredPage<FailedRequestRecord>, 'total'>> {
    const sent = Object.entries<unknown>(values).filter(([, value]) => value !== undefined);
    const filter = {
      ...Object.fromEntries(sent),
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(apiKeyId !== undefined && { 'apiKey.id': apiKeyId }),
      ...((from ?? to) && { at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    };
    return readPageWithoutTotal(this.model, filter, {}, { ...start, order: newestFirst, allTenants: true });
  }
}
