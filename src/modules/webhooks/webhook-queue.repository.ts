import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, mongo } from 'mongoose';
import { offsetOf, type Page } from '../../http/paging.js';
import { containing, countMatching } from '../../database/list-queries.js';
import {
  aggregateRecords,
  countRecords,
  findOneAndUpdateRecord,
  findOneRecord,
  findRecords,
  updateManyRecords,
  writeManyRecords,
} from '../../database/operations.js';
import { projectionOf } from '../../database/organization.repository.js';
import { type FieldChanges, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { LatestChange } from '../changes/changes.repository.js';
import type { ListAllWebhookEndpointsQuery } from './webhook.dto.js';
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

/** Matches every endpoint. MongoDB checks other conditions in `endpoints_failing_first` only beside one on its first field. */
const whetherFailing: object = { failingSince: { $gte: new mongo.MinKey() } };
const failingFirst = { failingSince: -1, _id: 1 } as const;

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
    const range = { skip: offsetOf({ page, limit }), limit };
    const [data, total] = await Promise.all([
      findRecords<ListedEndpoint>(this.endpoints, filter, {
        projection: projectionOf(listedFields),
        sort: failingFirst,
        ...range,
      }),
      countMatching(this.endpoints, filter),
    ]);
    return { data, total };
  }

  /** Makes the enabled endpoints of changed organizations due, and remembers up to where the feed has their changes. */
  async wake(changes: readonly LatestChange[], last: string): Promise<void> {
    if (changes.length === 0) return;
    const dispatched = { $max: ['$dispatched', last] };
    const filter = { organizationId: { $in: changes.map(({ organizationId }) => organizationId) }, isEnabled: true };
    const update = [{ $set: { dueAt: { $min: ['$dueAt', '$$NOW'] }, dispatched } }];
    await updateManyRecords(this.endpoints, [{ filter, update }]);
  }

  /** Makes an endpoint due and ends its pause. An attempt in flight that fails pauses it again. */
  async resume(organizationId: string, id: string): Promise<void> {
    const filter = { _id: toRecordId(id), organizationId: toRecordId(organizationId) };
    await updateManyRecords(this.endpoints, [{ filter, update: [{ $set: { dueAt: '$$NOW', pausedUntil: '$$NOW' } }] }]);
  }

  /**
   * Leases the endpoint that has been due longest for some milliseconds. If this server dies, the endpoint is due again when the lease ends.
   * @param busy organizations whose endpoints are skipped
   */
  claim(milliseconds: number, busy: readonly RecordId[]): Promise<LeasedEndpoint | null> {
    const filter = { ...hasTime, ...(busy.length > 0 && { organizationId: { $nin: busy } }) };
    const end = { $add: ['$$NOW', milliseconds] };
    const options = { projection: {}, expression: isDue, sort: { dueAt: 1 } } as const;
    return findOneAndUpdateRecord(this.endpoints, filter, {}, options, () => [
      { $set: { leasedUntil: end, dueAt: end } },
    ]);
  }

  /** Returns an endpoint with its current fields, or null if it is disabled, deleted or leased by another server. */
  findLeased({ _id, leasedUntil }: LeasedEndpoint): Promise<LeasedEndpoint | null> {
    const filter = { _id, isEnabled: true, leasedUntil };
    return findOneRecord<LeasedEndpoint>(this.endpoints, filter, { projection: {} });
  }

  /** Returns stored deliveries to an endpoint, due or not, earliest first. */
  findPending({ _id: endpointId, organizationId }: LeasedEndpoint, count: number): Promise<WebhookDeliveryRecord[]> {
    const filter = { organizationId, endpointId, status: 'pending' };
    const options = { projection: {}, sort: { nextAttemptAt: 1, _id: 1 }, limit: count } as const;
    return findRecords<WebhookDeliveryRecord>(this.deliveries, filter, options);
  }

  /** Returns the IDs of those deliveries that are stored. */
  async findLogged({ organizationId }: LeasedEndpoint, ids: readonly RecordId[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const filter = { _id: { $in: ids }, organizationId };
    const options = { projection: { _id: 1 } };
    const found = await findRecords<Pick<WebhookDeliveryRecord, '_id'>>(this.deliveries, filter, options);
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
      const filter = { _id, organizationId, status: 'pending' };
      await findOneAndUpdateRecord(this.deliveries, filter, toUpdate(changes), { projection: { _id: 1 } });
    } else {
      const values = { ...delivery, ...outcome, nextAttemptAt: nextAttemptAt ?? undefined };
      await writeManyRecords(this.deliveries, [{ record: values }]);
    }
    if (outcome.status !== 'pending' || !event.endsWith('.updated')) return;
    const filter = { organizationId, endpointId, status: 'pending', record, event, _id: { $ne: _id } };
    const update = [{ $set: { status: 'failed', nextAttemptAt: '$$REMOVE' } }];
    await updateManyRecords(this.deliveries, [{ filter, update }]);
  }

  /**
   * Ends a lease, immediately or after some milliseconds. The endpoint is due immediately, or at `dueAt` unless it was
   * woken during the lease; null: not due. One that was disabled during the lease does not get its position back.
   */
  async release(
    { _id, leasedUntil }: LeasedEndpoint,
    { dueAt, position, ...changes }: FieldChanges<WebhookEndpointRecord>,
    remaining = 0,
  ): Promise<void> {
    const toValue = (value: unknown) => (value === null ? '$$REMOVE' : { $literal: value });
    // Not in the past, so that an endpoint with recovered deliveries takes its turn.
    const due = dueAt === null ? '$$REMOVE' : { $max: ['$$NOW', dueAt] };
    const values = {
      ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, toValue(value)])),
      leasedUntil: { $add: ['$$NOW', remaining] },
      dueAt: { $cond: [{ $eq: ['$dueAt', '$leasedUntil'] }, due, '$dueAt'] },
      position: { $cond: ['$isEnabled', { $max: ['$position', position] }, '$$REMOVE'] },
    };
    await updateManyRecords(this.endpoints, [{ filter: { _id, leasedUntil }, update: [{ $set: values }] }]);
  }

  /** Returns for how many milliseconds the first due endpoint that is not paused or leased has been waiting, or 0. */
  async findLongestWait(): Promise<number> {
    const sort = { $sort: { dueAt: 1 } } as const;
    const wait = { $project: { _id: 0, milliseconds: { $subtract: ['$$NOW', '$dueAt'] } } };
    const stages = [{ $match: { ...hasTime, $expr: isDue } }, sort, { $limit: 1 }, wait];
    const [longest] = await aggregateRecords<{ milliseconds: number }>(this.endpoints, stages);
    return longest?.milliseconds ?? 0;
  }

  /** Counts the endpoints that the server has disabled. */
  countDisabled(): Promise<number> {
    const filter = { isEnabled: false, disabledReason: { $in: ['gone', 'failing'] } };
    return countRecords(this.endpoints, filter);
  }
}
