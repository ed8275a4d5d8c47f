import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { offsetOf, type Page } from '../../http/paging.js';
import { containing, countMatching } from '../../database/list-queries.js';
import { inserting } from '../../database/plugins/operation-options.js';
import { UniqueIndexViolation } from '../../database/plugins/write-errors.js';
import { type FieldChanges, projectionOf, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { LatestChange } from '../changes/changes.repository.js';
import type { ListAllWebhookEndpointsQuery } from './webhook.dto.js';
import { sendNow, waiting } from './webhook-deliveries.repository.js';
import { WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import { beforeAnyTime, WebhookEndpointRecord } from './webhook-endpoint.schema.js';
import { listedFields, type ListedEndpoint } from './webhook-endpoints.repository.js';
import type { Outcome, PendingDelivery } from './webhook.rules.js';

/**
 * Matches the endpoints that a server may deliver to, by the clock of the database: that of a server can be wrong. Without
 * the first condition, endpoints without a time would match, too.
 */
const hasTime = { isEnabled: true, dueAt: { $gt: new Date(0) } };
const isDue = { $and: ['$dueAt', '$pausedUntil', '$leasedUntil'].map((time) => ({ $lte: [time, '$$NOW'] })) };

/** The latest time that a `Date` can have. */
const latestTime = 8_640_000_000_000_000;
/** Matches every endpoint. MongoDB checks other conditions in `endpoints_failing_first` only beside one on its first field. */
const whetherFailing: object = { failingSince: { $not: { $gt: new Date(latestTime) } } };
const failingFirst = { failingSince: -1, _id: 1 } as const;

/** The worker searches the endpoints of all organizations. */
const allTenants = true;
const updatePipeline = true;

/** An endpoint that this server delivers to, until `leasedUntil`. */
export type LeasedEndpoint = WebhookEndpointRecord;
/** A delivery with the body of its next request. */
export type NextDelivery = PendingDelivery & { readonly body: string };

/** The endpoints and the pending deliveries of all organizations. */
@Injectable()
export class WebhookQueueRepository {
  constructor(
    @InjectModel(WebhookEndpointRecord.name) private readonly endpoints: Model<WebhookEndpointRecord>,
    @InjectModel(WebhookDeliveryRecord.name) private readonly deliveries: Model<WebhookDeliveryRecord>,
  ) {}

  /** Returns a page of the endpoints that match: the latest failures first, then the others in order of creation. */
  async findEndpoints(query: ListAllWebhookEndpointsQuery): Promise<Page<ListedEndpoint>> {
    const { organizationId, search, status, disabledReason, page, limit } = query;
    const filter = {
      ...whetherFailing,
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(search !== undefined && { url: containing(search) }),
      ...(status !== undefined && { isEnabled: status !== 'disabled' }),
      ...(status === 'active' && { failingSince: null, limitedUntil: null }),
      ...(status === 'limited' && { failingSince: null, limitedUntil: { $gte: new Date(0) } }),
      ...(status === 'failing' && { failingSince: { $gte: new Date(0) } }),
      ...(disabledReason && { disabledReason: { $in: disabledReason } }),
    };
    const options = { sort: failingFirst, skip: offsetOf({ page, limit }), limit, allTenants } as const;
    const [data, total] = await Promise.all([
      this.endpoints.find(filter, projectionOf(listedFields), options).lean<ListedEndpoint[]>().exec(),
      countMatching(this.endpoints, filter, { allTenants }),
    ]);
    return { data, total };
  }

  /** Makes the enabled endpoints of changed organizations due, and remembers up to where the feed has their changes. */
  async wake(changes: readonly LatestChange[], last: string): Promise<void> {
    if (changes.length === 0) return;
    const dispatched = { $max: ['$dispatched', last] };
    const filter = { organizationId: { $in: changes.map(({ organizationId }) => organizationId) }, isEnabled: true };
    const update = [{ $set: { dueAt: { $min: ['$dueAt', '$$NOW'] }, dispatched } }];
    await this.endpoints.updateMany(filter, update, { updatePipeline });
  }

  /** Makes an endpoint due and ends its pause. An attempt in flight that fails pauses it again. */
  async resume(organizationId: string, id: string): Promise<void> {
    const filter = { _id: toRecordId(id), organizationId: toRecordId(organizationId) };
    await this.endpoints.updateOne(filter, { $currentDate: { dueAt: true, pausedUntil: true } });
  }

  /**
   * Leases the endpoint that has been due longest for some milliseconds. If this server dies, the endpoint is due again when the lease ends.
   * @param busy organizations whose endpoints are skipped
   */
  claim(milliseconds: number, busy: readonly RecordId[]): Promise<LeasedEndpoint | null> {
    const filter = { ...hasTime, $expr: isDue, ...(busy.length > 0 && { organizationId: { $nin: busy } }) };
    const end = { $add: ['$$NOW', milliseconds] };
    const options = { sort: { dueAt: 1 }, returnDocument: 'after', allTenants, updatePipeline } as const;
    const query = this.endpoints.findOneAndUpdate(filter, [{ $set: { leasedUntil: end, dueAt: end } }], options);
    return query.lean().exec();
  }

  /** Returns an endpoint with its current fields, or null if it is disabled, deleted or leased by another server. */
  findLeased({ _id, leasedUntil }: LeasedEndpoint): Promise<LeasedEndpoint | null> {
    const filter = { _id, isEnabled: true, leasedUntil };
    return this.endpoints.findOne(filter, {}, { allTenants }).lean().exec();
  }

  /** Returns stored deliveries to an endpoint, due or not, earliest first. */
  findPending({ _id: endpointId, organizationId }: LeasedEndpoint, count: number): Promise<WebhookDeliveryRecord[]> {
    const filter = { organizationId, endpointId, status: 'pending' } as const;
    const options = { sort: { nextAttemptAt: 1, _id: 1 }, limit: count } as const;
    return this.deliveries.find(filter, {}, options).lean().exec();
  }

  /** Makes the deliveries due that wait for their next attempt, in the order of the events. */
  async sendWaiting({ _id: endpointId, organizationId }: LeasedEndpoint): Promise<void> {
    await this.deliveries.updateMany({ organizationId, endpointId, ...waiting }, sendNow, { updatePipeline });
  }

  /**
   * Stores a delivery with the outcome of its attempt, unless another server has already stored a success. A pending
   * `updated` event replaces an older one of the same record.
   */
  async store({ position, body, ...delivery }: NextDelivery, changes: Outcome['delivery']): Promise<void> {
    const { _id, organizationId, endpointId, record, event } = delivery;
    const { nextAttemptAt, ...outcome } = changes;
    const values = { ...delivery, ...outcome, nextAttemptAt: nextAttemptAt ?? undefined };
    const isInserted = position !== undefined && (await this.insert(values));
    if (!isInserted) await this.deliveries.updateOne({ _id, organizationId, status: 'pending' }, toUpdate(changes));
    if (outcome.status !== 'pending' || !event.endsWith('.updated')) return;
    const older = { _id: { $ne: _id }, createdAt: { $lte: delivery.createdAt } };
    const filter = { organizationId, endpointId, status: 'pending', record, event, ...older } as const;
    await this.deliveries.updateMany(filter, toUpdate({ status: 'failed', nextAttemptAt: null }));
  }

  /** Ends a lease. The endpoint is due at `dueAt`, unless new events woke it meanwhile; null is never. */
  async release(
    { _id, leasedUntil }: LeasedEndpoint,
    { dueAt, position = '', ...changes }: FieldChanges<WebhookEndpointRecord>,
  ): Promise<void> {
    const release = async (filter: object, due: FieldChanges<WebhookEndpointRecord>) => {
      const update = { ...toUpdate({ ...changes, ...due, leasedUntil: beforeAnyTime }), $max: { position } };
      return this.endpoints.updateOne({ _id, leasedUntil, ...filter }, update).setOptions({ allTenants });
    };
    const { matchedCount } = await release({ dueAt: leasedUntil }, { dueAt });
    if (matchedCount === 0) await release({}, {});
  }

  /** Returns for how many milliseconds the first due endpoint that is not paused or leased has been waiting, or 0. */
  async findLongestWait(): Promise<number> {
    const sort = { $sort: { dueAt: 1 } } as const;
    const wait = { $project: { _id: 0, milliseconds: { $subtract: ['$$NOW', '$dueAt'] } } };
    const stages = [{ $match: { ...hasTime, $expr: isDue } }, sort, { $limit: 1 }, wait];
    const [longest] = await this.endpoints.aggregate<{ milliseconds: number }>(stages, { allTenants });
    return longest?.milliseconds ?? 0;
  }

  /** Counts the endpoints that the server has disabled. */
  countDisabled(): Promise<number> {
    const filter = { isEnabled: false, disabledReason: { $in: ['gone', 'failing'] } } as const;
    return this.endpoints.countDocuments(filter, { allTenants }).exec();
  }

  /** Stores a new delivery. Returns false if it is stored: another turn sent it, and ended before it stored the position. */
  private async insert(delivery: FieldChanges<WebhookDeliveryRecord>): Promise<boolean> {
    try {
      await this.deliveries.insertMany([delivery], inserting());
      return true;
    } catch (error) {
      if (error instanceof UniqueIndexViolation) return false;
      throw error;
    }
  }
}
