import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { queryTimeLimit } from '../../database/list-queries.js';
import {
  findOneAndUpdateRecord,
  findRecords,
  updateUncachedFields,
  writeManyRecords,
} from '../../database/operations.js';
import { type FieldChanges, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import { webhookDeliveryModel, type WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import { webhookEndpointModel, type WebhookEndpointRecord } from './webhook-endpoint.schema.js';

const endpointFields = { url: 1, secret: 1, previousSecret: 1, failures: 1, failingSince: 1, leasedUntil: 1 } as const;
const deliveryFields = { event: 1, body: 1, attempts: 1, createdAt: 1 } as const;

/** An endpoint that this server delivers to, until `leasedUntil`. */
export type LeasedEndpoint = Pick<WebhookEndpointRecord, '_id' | keyof typeof endpointFields>;
export type DueDelivery = Pick<WebhookDeliveryRecord, '_id' | keyof typeof deliveryFields>;
export type Subscriber = Pick<WebhookEndpointRecord, '_id' | 'organizationId' | 'events'>;

/** Returns the ID of the delivery of an event to an endpoint, the same on every server. */
export function deliveryIdOf(endpointId: RecordId, event: string): RecordId {
  return new Types.ObjectId(
    createHash('sha256')
      .update(`${String(endpointId)}.${event}`)
      .digest()
      .subarray(0, 12),
  );
}

/** The pending deliveries of all organizations, for the worker. */
@Injectable()
export class WebhookQueueRepository {
  constructor(
    @InjectModel(webhookEndpointModel) private readonly endpoints: Model<WebhookEndpointRecord>,
    @InjectModel(webhookDeliveryModel) private readonly deliveries: Model<WebhookDeliveryRecord>,
  ) {}

  /** Returns all enabled endpoints. */
  findSubscribers(): Promise<Subscriber[]> {
    const projection = { organizationId: 1, events: 1 } as const;
    const options = { projection, maxTimeMS: queryTimeLimit, sort: {} } as const;
    return findRecords<Subscriber>(this.endpoints, { isEnabled: true }, options);
  }

  /** Inserts deliveries, except those that exist already, and makes their endpoints due. */
  async enqueue(deliveries: readonly WebhookDeliveryRecord[]): Promise<void> {
    if (deliveries.length === 0) return;
    await writeManyRecords(
      this.deliveries,
      deliveries.map((record) => ({ record })),
    );
    const dueAt = new Map(deliveries.toReversed().map(({ endpointId, createdAt }) => [String(endpointId), createdAt]));
    await this.makeDue([...dueAt]);
  }

  /** Makes endpoints due at a time, unless they are due earlier. */
  async makeDue(endpoints: readonly (readonly [id: string, dueAt: Date])[]): Promise<void> {
    const updateOf = ([id, dueAt]: readonly [string, Date]) => ({
      filter: { _id: toRecordId(id) },
      update: { $min: { dueAt } },
    });
    await updateUncachedFields(this.endpoints, endpoints.map(updateOf));
  }

  /** Leases an endpoint with a due delivery. Should this server die, it is due again when the lease ends. */
  claim(now: Date, leaseEnd: Date): Promise<LeasedEndpoint | null> {
    const filter = { isEnabled: true, dueAt: { $lte: now }, pausedUntil: { $lte: now }, leasedUntil: { $lte: now } };
    const update = { $set: { leasedUntil: leaseEnd, dueAt: leaseEnd } };
    return findOneAndUpdateRecord(this.endpoints, filter, update, { projection: endpointFields });
  }

  /** Returns the delivery to an endpoint that is due next, if there is one. */
  async findNext(endpointId: RecordId): Promise<(DueDelivery & { readonly nextAttemptAt: Date }) | undefined> {
    const projection = { ...deliveryFields, nextAttemptAt: 1 } as const;
    const options = { projection, maxTimeMS: queryTimeLimit, sort: { nextAttemptAt: 1, _id: 1 }, limit: 1 } as const;
    const [next] = await findRecords<DueDelivery & { nextAttemptAt: Date }>(
      this.deliveries,
      { endpointId, status: 'pending' },
      options,
    );
    return next;
  }

  /** Stores the outcome of an attempt. */
  async update(id: RecordId, changes: FieldChanges<WebhookDeliveryRecord>): Promise<void> {
    const options = { projection: { _id: 1 } };
    await findOneAndUpdateRecord(this.deliveries, { _id: id }, toUpdate(changes), options);
  }

  /** Makes all pending deliveries of an endpoint due, after it has recovered. */
  async resume(endpointId: RecordId, now: Date): Promise<void> {
    await this.deliveries.collection.updateMany(
      { endpointId, status: 'pending', nextAttemptAt: { $gt: now } },
      { $set: { nextAttemptAt: now } },
    );
  }

  /** Ends a lease and stores the state of the endpoint. It stays due if a delivery was added meanwhile. */
  async release(
    { _id, leasedUntil }: LeasedEndpoint,
    dueAt: Date | undefined,
    changes: FieldChanges<WebhookEndpointRecord>,
  ): Promise<void> {
    const options = { projection: { _id: 1 } };
    const update = (filter: object, values: FieldChanges<WebhookEndpointRecord>) =>
      findOneAndUpdateRecord(this.endpoints, { _id, leasedUntil, ...filter }, toUpdate(values), options);
    const released = await update({ dueAt: leasedUntil }, { ...changes, dueAt: dueAt ?? null });
    if (released === null) await update({}, changes);
  }
}
