import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { type FieldChanges, toRecordId, toUpdate } from '../../database/record.js';
import { SlotRepository } from '../../database/slot.repository.js';
import type { Session } from '../../database/transaction.js';
import { WebhookEndpoint, WebhookEndpointRecord } from './webhook-endpoint.schema.js';

const slots = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/** How long the secret before a rotation also signs, in milliseconds. */
const rotationMilliseconds = 24 * 60 * 60 * 1_000;
export const listedFields = [...fieldNamesOf(WebhookEndpoint), 'failingSince', 'limitedUntil', 'lastDelivery'] as const;

/** An endpoint without its secrets. */
export type ListedEndpoint = Pick<WebhookEndpointRecord, (typeof listedFields)[number]>;

/** The webhook endpoints of an organization, at most ten. */
@Injectable()
export class WebhookEndpointsRepository extends SlotRepository<WebhookEndpointRecord> {
  constructor(@InjectModel(WebhookEndpointRecord.name) model: Model<WebhookEndpointRecord>) {
    super(model);
  }

  findAll(tenant: Tenant): Promise<ListedEndpoint[]> {
    return this.find(tenant, {}, listedFields, { slot: 1 });
  }

  findById(tenant: Tenant, id: string): Promise<ListedEndpoint | null> {
    return this.findOne(tenant, { _id: toRecordId(id) }, listedFields);
  }

  protected slotsFor() {
    return { slots, sharedWith: {} };
  }

  /** Returns the updated endpoint, or null if none matches. */
  update(
    tenant: Tenant,
    id: string,
    changes: FieldChanges<WebhookEndpointRecord>,
    filter: QueryFilter<WebhookEndpointRecord>,
    session: Session,
  ): Promise<ListedEndpoint | null> {
    const update = toUpdate<WebhookEndpointRecord>(changes);
    return this.updateOne(tenant, { _id: toRecordId(id), ...filter }, update, listedFields, { session });
  }

  /** Replaces the secret; the previous one also signs for 24 hours. Returns null if the endpoint does not exist. */
  rotate(tenant: Tenant, id: string, secret: string, now: Date, session: Session) {
    // A pipeline, in which `$secret` is the stored secret.
    const previousSecret = { secret: '$secret', expiresAt: new Date(now.getTime() + rotationMilliseconds) };
    const update = { $set: { secret, previousSecret, updatedAt: now } };
    const options = { session, toPipeline: (checked: object) => [checked] };
    return this.updateOne(tenant, { _id: toRecordId(id) }, update, listedFields, options);
  }
}
