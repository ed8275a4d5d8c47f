import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { AdminContext, OrganizationScope } from '../../access/request-context.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import { CursorPage } from '../../database/cursor-page.js';
import { newRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { AuditTrail, type Change } from '../audit/audit-trail.js';
import { recoveredAtOnce, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { retentionSeconds, type WebhookDelivery } from './webhook-delivery.schema.js';
import { type ListDeliveriesQuery, toAuditChange } from './webhook.dto.js';
import type { ListedEndpoint } from './webhook-endpoints.repository.js';
import { WebhookQueueRepository } from './webhook-queue.repository.js';
import { lastAttemptOf, toDelivery } from './webhook.rules.js';
import { WebhooksService } from './webhooks.service.js';

/** A key of the organization or an admin, whose changes are audited. */
type Scope = OrganizationScope | (AdminContext & OrganizationScope);

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
  async sendTest(scope: Scope, id: string): Promise<WebhookDelivery> {
    const endpoint = await this.findEnabled(scope, id);
    const ping = { id: String(newRecordId()), type: 'ping', at: this.clock.now(), record: 'ping' } as const;
    const delivery = toDelivery(endpoint, ping);
    const change = toAuditChange(scope, 'testWebhookEndpoint', endpoint);
    await this.change(scope, change, (session) => this.deliveries.insert(scope, delivery, session));
    await this.queue.resume(scope.organization.id, id);
    const { _id, event, status, attempts, createdAt } = delivery;
    return { _id, event, status, attempts, nextAttemptAt: createdAt, createdAt };
  }

  /** Returns a page of the delivery log, newest first. */
  async listAnyDeliveries(scope: OrganizationScope, id: string, query: ListDeliveriesQuery) {
    const now = this.clock.now();
    const page = new CursorPage(scope.organization.id, query, `webhook-endpoints/${id}/deliveries`, now);
    await this.webhooks.find(scope, id);
    return page.toResponse(await this.deliveries.findOfEndpoint(scope, id, query, page.start), (delivery) =>
      Object.assign(delivery, { lastAttemptAt: lastAttemptOf(delivery, now) }),
    );
  }

  /** As `listAnyDeliveries`, without what only admins see. */
  async listDeliveries(...list: Parameters<WebhookDeliveriesService['listAnyDeliveries']>) {
    const { data, ...page } = await this.listAnyDeliveries(...list);
    return { ...page, data: data.map(({ record, lastAttemptAt, ...delivery }) => delivery) };
  }

  /** Sends a delivery again. */
  async retry(scope: Scope, id: string, deliveryId: string): Promise<WebhookDelivery> {
    const change = toAuditChange(scope, 'retryWebhookDelivery', await this.findEnabled(scope, id));
    const now = this.clock.now();
    const retry = async (session?: Session) =>
      assertFound(await this.deliveries.retry(scope, id, deliveryId, now, session), 'deliveryNotFound');
    const delivery = await this.change(scope, change, retry);
    await this.queue.resume(scope.organization.id, id);
    return delivery;
  }

  /** Sends every delivery again that failed at or after a time. Returns how many these are. */
  async recover(scope: Scope, id: string, since: Date): Promise<number> {
    if (since.getTime() < this.clock.now().getTime() - retentionSeconds * 1_000)
      throw invalidField('since', 'since must be at most 30 days ago');
    const change = toAuditChange(scope, 'recoverWebhookEndpoint', await this.findEnabled(scope, id), { since });
    const recover = (session?: Session) => this.deliveries.recover(scope, id, since, session);
    // The audit event is stored with the first ones, so that none is sent without it.
    let found = await this.change(scope, change, recover);
    let queued = found;
    try {
      for (; found === recoveredAtOnce; queued += found) found = await recover();
    } finally {
      // Also of a request that has too little time for all.
      await this.queue.resume(scope.organization.id, id);
    }
    return queued;
  }

  /** Makes a change, together with the audit event of an admin. */
  private change<T>(scope: Scope, change: Change, work: (session?: Session) => Promise<T>): Promise<T> {
    return 'requestId' in scope && 'user' in scope ? this.audit.recordWith(scope, change, work) : work();
  }

  private async findEnabled(scope: OrganizationScope, id: string): Promise<ListedEndpoint> {
    const endpoint = await this.webhooks.find(scope, id);
    if (!endpoint.isEnabled) throw new ServiceError('endpointDisabled');
    return endpoint;
  }
}
