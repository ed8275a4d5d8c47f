import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, PipelineStage } from 'mongoose';
import { keyRejections } from '../../access/request-context.js';
import { offsetOf, type Page } from '../../http/paging.js';
import { paged } from '../../database/list-queries.js';
import { toRecordId } from '../../database/record.js';
import type { ListUsageOutcomesQuery } from './usage.dto.js';
import type { OrganizationRecord } from '../organizations/organization.schema.js';
import { type HourUsage, type OutcomeUsage, RequestCount } from './request-count.schema.js';

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
const names = { from: 'organizations', localField: '_id', foreignField: '_id', pipeline: [{ $project: { name: 1 } }] };

@Injectable()
export class UsageRepository {
  constructor(@InjectModel(RequestCount.name) private readonly model: Model<RequestCount>) {}

  /** Stores the counts of this process, or replaces them. */
  async store(counts: Iterable<RequestCount>): Promise<void> {
    const writes = Array.from(counts, (replacement) => {
      const { _id, organizationId } = replacement;
      return { replaceOne: { filter: { _id, organizationId }, replacement, upsert: true } };
    });
    await this.model.bulkWrite(writes, { ordered: false, throwOnValidationError: true });
  }

  /** Returns the organizations with the most requests in these hours, or only one organization. */
  async findTop(hours: readonly Date[], limit: number, organizationId?: string): Promise<Page<OrganizationUsage>> {
    const owned = organizationId !== undefined && { organizationId: toRecordId(organizationId) };
    const period = { hour: { $gte: hours[0], $lte: hours.at(-1) } };
    const ofOrganization = { from: this.model.collection.name, localField: '_id', foreignField: 'organizationId' };
    const byHour = [
      { $match: period },
      // Adds up the counts of all processes.
      { $group: { _id: '$hour', ...sums, errorCodes: { $push: '$errorCodes' } } },
      { $set: { hour: '$_id' } },
    ];
    const pipeline = [
      { $match: { ...owned, ...period } },
      { $group: { _id: '$organizationId', ...sums } },
      { $match: { requests: { $gt: 0 } } },
      { $sort: { requests: -1, _id: 1 } },
      ...paged([
        { $limit: limit },
        { $lookup: { ...names, as: 'organization' } },
        { $unwind: '$organization' },
        // Only of these organizations: the hours of all take seconds.
        { $lookup: { ...ofOrganization, pipeline: byHour, as: 'hours' } },
      ]),
    ];
    const options = { allTenants: organizationId === undefined };
    const [page] = await this.model.aggregate<Page<OrganizationUsage>>(pipeline as PipelineStage[], options);
    return page ?? { data: [], total: 0 };
  }

  /** Returns the hours in which a key made requests, as far as they were counted by key. */
  findHoursOfKey(organizationId: string, hours: readonly Date[], apiKeyId: string): Promise<StoredHour[]> {
    const errors = { $cond: [{ $gte: [part(2), '400'] }, '$outcome.v.requests', 0] };
    const code = { $arrayToObject: [[{ k: part(3), v: '$outcome.v.requests' }]] };
    const pipeline = [
      ...outcomesOf(organizationId, { $gte: hours[0], $lte: hours.at(-1) }),
      { $match: { 'parts.0': apiKeyId, 'parts.1': { $nin: keyRejections } } },
      {
        $group: {
          _id: '$hour',
          requests: { $sum: '$outcome.v.requests' },
          errors: { $sum: errors },
          errorCodes: { $push: { $cond: [{ $eq: [part(3), '0'] }, {}, code] } },
        },
      },
      { $set: { hour: '$_id' } },
    ] as PipelineStage[];
    return this.model.aggregate<StoredHour>(pipeline).exec();
  }

  /** Returns the outcomes of an organization's requests since a time, the most frequent first. */
  async findOutcomes(
    organizationId: string,
    since: Date,
    { apiKeyId, isError, isRejected, page, limit }: Omit<ListUsageOutcomesQuery, 'hours'>,
  ): Promise<Page<OutcomeUsage>> {
    const keyId = { $convert: { input: part(0), to: 'objectId', onError: null } };
    const ofKey = { from: 'apiKeys', localField: 'keyId', foreignField: '_id' };
    const matching = {
      ...(apiKeyId !== undefined && { 'parts.0': apiKeyId }),
      ...(isRejected !== undefined && { 'parts.1': { [isRejected ? '$in' : '$nin']: keyRejections } }),
      ...(isError !== undefined && { 'parts.2': isError ? { $gte: '400' } : { $lt: '400' } }),
    };
    const total = {
      _id: '$parts',
      requests: { $sum: '$outcome.v.requests' },
      // Of the latest hour: objects are compared by their first field.
      latest: { $max: { hour: '$hour', detail: '$outcome.v.detail' } },
      lastHour: { $max: '$hour' },
    };
    const pipeline = [
      ...outcomesOf(organizationId, { $gte: since }),
      { $match: matching },
      { $group: total },
      { $set: { parts: '$_id', detail: '$latest.detail' } },
      { $sort: { requests: -1, _id: 1 } },
      ...paged([
        { $skip: offsetOf({ page, limit }) },
        { $limit: limit },
        { $set: { keyId } },
        { $lookup: { ...ofKey, pipeline: [{ $project: { name: 1, keyPrefix: 1 } }], as: 'apiKey' } },
      ]),
    ] as PipelineStage[];
    const [found] = await this.model.aggregate<Page<OutcomeUsage>>(pipeline);
    return found ?? { data: [], total: 0 };
  }
}

/** A part of the name of an outcome: see `OutcomeUsage`. */
const part = (index: number) => ({ $arrayElemAt: ['$parts', index] });

/** Returns the stages that read the outcomes of an organization in some hours. */
const outcomesOf = (organizationId: string, hour: object) => [
  { $match: { organizationId: toRecordId(organizationId), hour } },
  { $project: { hour: 1, outcome: { $objectToArray: '$outcomes' } } },
  { $unwind: '$outcome' },
  { $set: { parts: { $split: ['$outcome.k', '|'] } } },
];
