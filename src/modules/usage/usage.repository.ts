import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page } from '../../http/paging.js';
import { aggregateRecords, updateUncachedFields } from '../../database/operations.js';
import { toRecordId } from '../../database/record.js';
import type { OrganizationRecord } from '../organizations/organization.schema.js';
import { type HourUsage, type RequestCount, requestCountModel } from './request-count.schema.js';

/** An hour as stored: each process has counted its own error codes. */
export interface StoredHour extends HourUsage {
  readonly errorCodes: readonly Readonly<Record<string, number>>[];
}

/** The requests of an organization in a period, with those hours that have any. */
export interface OrganizationUsage extends Omit<HourUsage, 'hour'> {
  readonly organization: Pick<OrganizationRecord, '_id' | 'name'>;
  readonly hours: readonly StoredHour[];
}

const sums = { requests: { $sum: '$requests' }, errors: { $sum: '$errors' } };
const perHour = { organizationId: '$organizationId', hour: '$hour' };
const ofHour = { hour: '$_id.hour', requests: '$requests', errors: '$errors', errorCodes: '$errorCodes' };
const names = { from: 'organizations', localField: '_id', foreignField: '_id', pipeline: [{ $project: { name: 1 } }] };

@Injectable()
export class UsageRepository {
  constructor(@InjectModel(requestCountModel) private readonly model: Model<RequestCount>) {}

  /** Stores counts, or replaces them by higher ones. */
  store(counts: Iterable<RequestCount>): Promise<void> {
    const updates = Array.from(counts, ({ requests, errors, errorCodes, ...filter }) => {
      const byCode = Object.entries(errorCodes).map(([code, count]) => [`errorCodes.${code}`, count] as const);
      return { filter, update: { $max: { requests, errors, ...Object.fromEntries(byCode) } }, upsert: true };
    });
    return updateUncachedFields(this.model, updates);
  }

  /** Returns the organizations with the most requests in these hours, or only one organization. */
  async findTop(hours: readonly Date[], limit: number, organizationId?: string): Promise<Page<OrganizationUsage>> {
    const scope = organizationId !== undefined && { organizationId: toRecordId(organizationId) };
    const pipeline = [
      { $match: { ...scope, hour: { $gte: hours[0], $lte: hours.at(-1) } } },
      // Adds up the counts of all processes.
      { $group: { _id: perHour, ...sums, errorCodes: { $push: '$errorCodes' } } },
      { $group: { _id: '$_id.organizationId', ...sums, hours: { $push: ofHour } } },
      { $sort: { requests: -1, _id: 1 } },
      {
        $facet: {
          data: [{ $limit: limit }, { $lookup: { ...names, as: 'organization' } }, { $unwind: '$organization' }],
          all: [{ $count: 'total' }],
        },
      },
      { $project: { data: 1, total: { $sum: '$all.total' } } },
    ];
    const [page] = await aggregateRecords<Page<OrganizationUsage>>(this.model, pipeline);
    return page ?? { data: [], total: 0 };
  }
}
