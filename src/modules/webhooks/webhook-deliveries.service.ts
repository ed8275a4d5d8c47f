import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { AdminContext, Tenant } from '../../access/request-context.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import { CursorPage } from '../../database/cursor-page.js';
import { newRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { AuditTrail, type Change } from '../audit/audit-trail.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { retentionSeconds, type WebhookDelivery } from './webhook-delivery.schema.js';
import { type ListDeliveriesQuery, toAuditChange } from './webhook.dto.js';
import type { ListedEndpoint } from './webhook-endpoints.repository.js';
import { WebhookQueueRepository } from './webhook-queue.repository.js';
import { lastAttemptOf, toDelivery } from './webhook.rules.js';
import { WebhooksService } from './webhooks.service.js';

/** A key of the organization or an admin, whose changes are audited. */
type Caller = Tenant | (AdminContext & Tenant);

@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly queue: WebhookQueueRepository,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Sends a `ping`. */
  async sendTest(tenant: Caller, id: string): Promise<WebhookDelivery> {
    const endpoint = await this.findEnabled(tenant, id);
    const ping = { id: String(newRecordId()), type: 'ping', at: this.clock.now(), record: 'ping' } as const;
    const delivery = toDelivery(endpoint, ping);
    const change = toAuditChange(tenant, 'testWebhookEndpoint', endpoint);
    await this.change(tenant, change, (session) => this.deliveries.insert(tenant, delivery, session));
    await this.queue.resume(tenant.organization.id, id);
    const { _id, event, status, attempts, createdAt } = delivery;
    return { _id, event, status, attempts, nextAttemptAt: createdAt, createdAt };
  }

  /** Returns a page of the delivery log, newest first. */
  async listAnyDeliveries(tenant: Tenant, id: string, query: ListDeliveriesQuery) {
    const now = this.clock.now();
    const page = new CursorPage(tenant.organization.id, query, `webhook-endpoints/${id}/deliveries`, now);
    await this.webhooks.find(tenant, id);
    return page.toResponse(await this.deliveries.findOfEndpoint(tenant, id, query, page.start), (delivery) =>
      Object.assign(delivery, { lastAttemptAt: lastAttemptOf(delivery, now) }),
    );
  }

  /** As `listAnyDeliveries`, without what only admins see. */
  async listDeliveries(...list: Parameters<WebhookDeliveriesService['listAnyDeliveries']>) {
    const { data, ...page } = await this.listAnyDeliveries(...list);
    return { ...page, data: data.map(({ record, lastAttemptAt, ...delivery }) => delivery) };
  }

  /** Sends a delivery again. */
  async retry(tenant: Caller, id: string, deliveryId: string): Promise<WebhookDelivery> {
    const change = toAuditChange(tenant, 'retryWebhookDelivery', await this.findEnabled(tenant, id));
    const now = this.clock.now();
    const retry = async (session?: Session) =>
      assertFound(await this.deliveries.retry(tenant, id, deliveryId, now, session), 'deliveryNotFound');
    const delivery = await this.change(tenant, change, retry);
    await this.queue.resume(tenant.organization.id, id);
    return delivery;
  }

  /** Sends every delivery again that failed at or after a time. Returns how many these are. */
  async recover(tenant: Caller, id: string, since: Date): Promise<number> {
    if (since.getTime() < this.clock.now().getTime() - retentionSeconds * 1_000)
      throw invalidField('since', 'since must be at most 30 days ago');
    const change = toAuditChange(tenant, 'recoverWebhookEndpoint', await this.findEnabled(tenant, id), { since });
    if (isAdmin(tenant)) await this.audit.recordBefore(tenant, [change]);
    try {
      return await this.deliveries.recover(tenant, id, since);
    } finally {
      // Also of a request that has too little time for all.
      await this.queue.resume(tenant.organization.id, id);
    }
  }

  /** Makes a change, together with the audit event of an admin. */
  private change<T>(tenant: Caller, change: Change, work: (session?: Session) => Promise<T>): Promise<T> {
    return isAdmin(tenant) ? this.audit.recordWith(tenant, change, work) : work();
  }

  private async findEnabled(tenant: Tenant, id: string): Promise<ListedEndpoint> {
    const endpoint = await this.webhooks.find(tenant, id);
    if (!endpoint.isEnabled) throw new ServiceError('endpointDisabled');
    return endpoint;
  }
}

const isAdmin = (caller: Caller): caller is AdminContext & Tenant => 'requestId' in caller && 'user' in caller;
