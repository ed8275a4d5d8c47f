import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page } from '../../common/http/paging.js';
import { queryTimeLimit, readPage } from '../../database/list-queries.js';
import {
  countRecords,
  findOneAndUpdateRecord,
  findOneRecord,
  findRecords,
  updateUncachedFields,
  writeManyRecords,
} from '../../database/operations.js';
import { projectionOf } from '../../database/organization.repository.js';
import { type FieldChanges, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { ListAllWebhookEndpointsQuery } from './webhook.dto.js';
import { webhookDeliveryModel, type WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import { webhookEndpointModel, type WebhookEndpointRecord } from './webhook-endpoint.schema.js';
import { fields, type ListedEndpoint } from './webhook-endpoints.repository.js';

const limit = { maxTimeMS: queryTimeLimit };
const insertsPerWrite = 1_000;
const subscriberFields = { organizationId: 1, events: 1 } as const;

export type Subscriber = Pick<WebhookEndpointRecord, '_id' | keyof typeof subscriberFields>;
/** An endpoint that this server delivers to, until `leasedUntil`. */
export type LeasedEndpoint = WebhookEndpointRecord;
export type NextDelivery = WebhookDeliveryRecord & Required<Pick<WebhookDeliveryRecord, 'nextAttemptAt'>>;

/** The endpoints and the pending deliveries of all organizations. */
@Injectable()
export class WebhookQueueRepository {
  constructor(
    @InjectModel(webhookEndpointModel) private readonly endpoints: Model<WebhookEndpointRecord>,
    @InjectModel(webhookDeliveryModel) private readonly deliveries: Model<WebhookDeliveryRecord>,
  ) {}

  /** Returns all enabled endpoints. */
  findSubscribers(session: Session): Promise<Subscriber[]> {
    const options = { ...limit, readConcern: 'majority', projection: subscriberFields, sort: {}, session } as const;
    return findRecords<Subscriber>(this.endpoints, { isEnabled: true }, options);
  }

  /** Returns a page of the endpoints with a status or disabled for a reason, or of all, in order of creation. */
  findEndpoints({ status, disabledReason, ...page }: ListAllWebhookEndpointsQuery): Promise<Page<ListedEndpoint>> {
    const filter = {
      // MongoDB checks the other conditions in `all_endpoints` only beside one on its first field.
      createdAt: { $gte: new Date(0) },
      ...(status !== undefined && { isEnabled: status !== 'disabled' }),
      ...(status === 'active' && { failingSince: null }),
      ...(status === 'failing' && { failingSince: { $gte: new Date(0) } }),
      ...(disabledReason && { disabledReason: { $in: disabledReason } }),
    };
    return readPage(this.endpoints, filter, projectionOf(fields), page);
  }

  /** Stores deliveries, except those that exist already, and makes their endpoints due. */
  async add(deliveries: readonly WebhookDeliveryRecord[]): Promise<void> {
    if (deliveries.length === 0) return;
    const inserts = deliveries.map((record) => ({ record }));
    // A repeated batch has only duplicates, which are slow: thousands at once could exceed the time limit every time.
    for (let start = 0; start < inserts.length; start += insertsPerWrite) {
      await writeManyRecords(this.deliveries, inserts.slice(start, start + insertsPerWrite));
    }
    const dueAt = new Date(Math.min(...deliveries.map(({ createdAt }) => createdAt.getTime())));
    const endpoints = new Map(deliveries.map(({ endpointId }) => [String(endpointId), endpointId]));
    const updates = [...endpoints.values()].map((_id) => ({ filter: { _id }, update: { $min: { dueAt } } }));
    await updateUncachedFields(this.endpoints, updates);
  }

  /** Leases a due endpoint. If this server dies, the endpoint is due again when the lease ends. */
  claim(now: Date, leaseEnd: Date): Promise<LeasedEndpoint | null> {
    const update = { $set: { leasedUntil: leaseEnd, dueAt: leaseEnd } };
    return findOneAndUpdateRecord(this.endpoints, deliverableAt(now), update, { projection: {} });
  }

  /** Returns an endpoint with its current fields, or null if it is disabled, deleted or leased by another server. */
  findLeased({ _id, leasedUntil }: LeasedEndpoint): Promise<LeasedEndpoint | null> {
    const filter = { _id, isEnabled: true, leasedUntil };
    return findOneRecord<LeasedEndpoint>(this.endpoints, filter, { ...limit, projection: {} });
  }

  /** Returns the delivery to an endpoint that is due next, if there is one. */
  async findNext({ _id: endpointId, organizationId }: LeasedEndpoint): Promise<NextDelivery | undefined> {
    const filter = { organizationId, endpointId, status: 'pending' };
    const options = { ...limit, projection: {}, sort: { nextAttemptAt: 1, _id: 1 }, limit: 1 } as const;
    return (await findRecords<NextDelivery>(this.deliveries, filter, options))[0];
  }

  /** Stores the outcome of an attempt, unless another server has stored a success meanwhile. */
  async update({ _id, organizationId }: NextDelivery, changes: FieldChanges<WebhookDeliveryRecord>): Promise<void> {
    const filter = { _id, organizationId, status: 'pending' };
    await findOneAndUpdateRecord(this.deliveries, filter, toUpdate(changes), { projection: { _id: 1 } });
  }

  /** Ends a lease. The endpoint stays due earlier if a delivery was added meanwhile. */
  async release(
    { _id, leasedUntil }: LeasedEndpoint,
    dueAt: Date | undefined,
    changes: FieldChanges<WebhookEndpointRecord>,
  ): Promise<void> {
    const update = (filter: object, values: FieldChanges<WebhookEndpointRecord>) =>
      findOneAndUpdateRecord(this.endpoints, { _id, leasedUntil, ...filter }, toUpdate(values), {
        projection: { _id: 1 },
      });
    const released = await update({ dueAt: leasedUntil }, { ...changes, dueAt: dueAt ?? null });
    if (released === null) await update({}, changes);
  }

  /** Returns since when the first endpoint that a server may deliver to has been due, or undefined. */
  async findEarliestDue(now: Date): Promise<Date | undefined> {
    const options = { ...limit, projection: {}, sort: { dueAt: 1 }, limit: 1 } as const;
    const [earliest] = await findRecords<LeasedEndpoint>(this.endpoints, deliverableAt(now), options);
    return earliest?.dueAt;
  }

  /** Counts the endpoints that the server has disabled. */
  countDisabled(): Promise<number> {
    const filter = { isEnabled: false, disabledReason: { $in: ['gone', 'failing'] } };
    return countRecords(this.endpoints, filter, limit);
  }
}

/** Matches the endpoints that a server may deliver to. */
function deliverableAt(now: Date): object {
  return { isEnabled: true, dueAt: { $lte: now }, pausedUntil: { $lte: now }, leasedUntil: { $lte: now } };
}
