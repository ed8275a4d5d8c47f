import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import type { ListOrder, PageStart, StoredPage } from '../../database/list-queries.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import { toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { ListDeliveriesQuery } from './webhook.dto.js';
import { type AnyDelivery, WebhookDeliveryRecord } from './webhook-delivery.schema.js';

const newestFirst: ListOrder = { by: 'createdAt', direction: -1, idDirection: -1 };
/** Deliveries between two attempts. One that is to be sent now is due since its event. */
export const waiting = { status: 'pending', $expr: { $gt: ['$nextAttemptAt', '$createdAt'] } } as const;
export const sendNow = [{ $set: { status: 'pending', nextAttemptAt: '$createdAt' } }];
const fields = ['_id', 'event', 'status', 'attempts', 'nextAttemptAt', 'createdAt'] as const;
const fieldsOfAny = [...fields, 'record'] as const;

@Injectable()
export class WebhookDeliveriesRepository extends OrganizationRepository<WebhookDeliveryRecord> {
  constructor(@InjectModel(WebhookDeliveryRecord.name) model: Model<WebhookDeliveryRecord>) {
    super(model);
  }

  insert(tenant: Tenant, delivery: WebhookDeliveryRecord, session?: Session): Promise<void> {
    return this.insertOne(tenant, delivery, session);
  }

  /** Returns a page of the deliveries to an endpoint, of one status or all, newest first, with their records. */
  findOfEndpoint(
    tenant: Tenant,
    endpointId: string,
    { status }: Pick<ListDeliveriesQuery, 'status'>,
    start: PageStart,
  ): Promise<StoredPage<AnyDelivery>> {
    const filter = { endpointId: toRecordId(endpointId), ...(status && { status }) };
    return this.findPage(tenant, filter, fieldsOfAny, { ...start, order: newestFirst });
  }

  /** Makes a delivery due. Returns null if the endpoint has no such delivery. */
  retry(tenant: Tenant, endpointId: string, id: string, now: Date, session?: Session) {
    const filter = { _id: toRecordId(id), endpointId: toRecordId(endpointId) };
    const update = toUpdate<WebhookDeliveryRecord>({ status: 'pending', nextAttemptAt: now });
    return this.updateOne(tenant, filter, update, fields, session && { session });
  }

  /**
   * Makes the deliveries due whose latest attempt failed at or after a time: failed ones, and those that wait for their next
   * attempt. Returns how many these are. If there is too little time for all, a repetition goes on.
   */
  async recover(tenant: Tenant, endpointId: string, since: Date): Promise<number> {
    await tenant.assertMayWrite();
    const recent: object = { endpointId: toRecordId(endpointId), 'attempts.at': { $gte: since } };
    const waited = await this.updateMany(tenant, { ...recent, ...waiting }, sendNow);
    return waited + (await this.updateMany(tenant, { ...recent, status: 'failed' }, sendNow));
  }
}
