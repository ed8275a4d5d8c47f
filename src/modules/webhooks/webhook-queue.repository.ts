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
import { webhookDeliveryModel, type WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import { webhookEndpointModel, type WebhookEndpointRecord } from './webhook-endpoint.schema.js';
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
    @InjectModel(webhookEndpointModel) private readonly endpoints: Model<WebhookEndpointRecord>,
    @InjectModel(webhookDeliveryModel) private readonly deliveries: Model<WebhookDeliveryRecord>,
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
    const update = [{ $set: { dueAt: '$$NOW', pausedUntil: '$$NOW' } }];
    await this.endpoints.updateMany(filter, update, { updatePipeline });
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

  /** Returns the IDs of those deliveries that are stored. */
  async findLogged({ organizationId }: LeasedEndpoint, ids: readonly RecordId[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const filter = { _id: { $in: ids }, organizationId };
    const found = await this.deliveries.find(filter, { _id: 1 }).lean<Pick<WebhookDeliveryRecord, '_id'>[]>();
    return new Set(found.map(({ _id }) => String(_id)));
  }

  /**
   * Stores a delivery with the outcome of its attempt, unless another server has already stored a success. A pending
   * `updated` event replaces an older one of the same record.
   */
  async store({ position, body, ...delivery }: NextDelivery, changes: Outcome['delivery']): Promise<void> {
    const { _id, organizationId, endpointId, record, event } = delivery;
    const { nextAttemptAt, ...outcome } = changes;
    if (position === undefined) {
      await this.deliveries.updateOne({ _id, organizationId, status: 'pending' }, toUpdate(changes));
    } else {
      const values = { ...delivery, ...outcome, nextAttemptAt: nextAttemptAt ?? undefined };
      await this.deliveries.insertMany([values], inserting()).catch(ignoreStored);
    }
    if (outcome.status !== 'pending' || !event.endsWith('.updated')) return;
    const filter = { organizationId, endpointId, status: 'pending', record, event, _id: { $ne: _id } } as const;
    const update = [{ $set: { status: 'failed', nextAttemptAt: '$$REMOVE' } }];
    await this.deliveries.updateMany(filter, update, { updatePipeline });
  }

  /**
   * Ends a lease. Unless new events woke the endpoint meanwhile, it is due at `dueAt`: undefined is now, null is never. Stores
   * the position only of an endpoint that is still enabled.
   */
  async release(
    { _id, leasedUntil }: LeasedEndpoint,
    { dueAt, position, ...changes }: FieldChanges<WebhookEndpointRecord>,
  ): Promise<void> {
    const toValue = (value: unknown) => (value === null ? '$$REMOVE' : { $literal: value });
    // Not in the past, so that an endpoint with recovered deliveries takes its turn.
    const due = dueAt === null ? '$$REMOVE' : { $max: ['$$NOW', dueAt] };
    const values = {
      ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, toValue(value)])),
      leasedUntil: '$$NOW',
      dueAt: { $cond: [{ $eq: ['$dueAt', '$leasedUntil'] }, due, '$dueAt'] },
      position: { $cond: ['$isEnabled', { $max: ['$position', position] }, '$$REMOVE'] },
    };
    const update = this.endpoints.updateMany({ _id, leasedUntil }, [{ $set: values }], { updatePipeline });
    await update.setOptions({ allTenants });
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
}

/** Another server has stored the delivery. */
function ignoreStored(error: unknown): void {
  if (!(error instanceof UniqueIndexViolation)) throw error;
}
