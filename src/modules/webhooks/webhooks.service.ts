import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Actor, OrganizationScope, RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../common/errors/service-error.js';
import { type ListPage, type ListQuery, mapPage, type Page } from '../../common/http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { Transactions } from '../../database/transaction.js';
import { AuditTrail } from '../audit/audit-trail.js';
import {
  type CreateWebhookEndpoint,
  type ListAllWebhookEndpointsQuery,
  toEndpointResponse,
  type UpdateWebhookEndpoint,
  type WebhookEndpointResponse,
  type WebhookEndpointWithSecretResponse,
} from './webhook.dto.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { WebhookDelivery } from './webhook-delivery.schema.js';
import type { DisabledReason } from './webhook-endpoint.schema.js';
import { type ListedEndpoint, WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookQueueRepository } from './webhook-queue.repository.js';
import { WebhookSender } from './webhook-sender.js';
import { enabledChanges, toDelivery } from './webhook.rules.js';

/** The webhook endpoints of an organization and their delivery logs. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly queue: WebhookQueueRepository,
    private readonly sender: WebhookSender,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an endpoint. Only the responses of this method and of `rotateSecret` contain a secret.
   * @throws ServiceError 40001 for a URL that no request can be sent to, 40906 for the eleventh endpoint
   */
  async create(
    context: RequestContext,
    { url, ...fields }: CreateWebhookEndpoint,
  ): Promise<WebhookEndpointWithSecretResponse> {
    this.assertUrl(url);
    const now = this.clock.now();
    const secret = newSecret();
    const endpoint = {
      url,
      ...fields,
      _id: newRecordId(),
      organizationId: toRecordId(context.organization.id),
      createdBy: toRecordId(context.actingUser.id),
      isEnabled: true,
      secret,
      pausedUntil: now,
      leasedUntil: now,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await this.endpoints.insert(context, endpoint))) throw new ServiceError(errorCatalogue.tooManyEndpoints);
    return Object.assign(toEndpointResponse(endpoint), { secret });
  }

  /** Returns the endpoints of the organization. */
  async list(scope: OrganizationScope): Promise<Page<WebhookEndpointResponse>> {
    const endpoints = await this.endpoints.findAll(scope);
    return { data: endpoints.map(toEndpointResponse), total: endpoints.length };
  }

  /** Returns a page of the endpoints of all organizations. */
  async listAll(query: ListAllWebhookEndpointsQuery): Promise<Page<WebhookEndpointResponse>> {
    return mapPage(await this.queue.findEndpoints(query), toEndpointResponse);
  }

  /** @throws ServiceError 40408 */
  async get(scope: OrganizationScope, id: string): Promise<WebhookEndpointResponse> {
    return toEndpointResponse(await this.find(scope, id));
  }

  /**
   * Updates the sent fields of an endpoint. Enabling it also ends its failures and its pause.
   * @throws ServiceError 40408; 40001 for a URL that no request can be sent to; 40907 if an operator has disabled it
   */
  async update(scope: OrganizationScope, id: string, input: UpdateWebhookEndpoint): Promise<WebhookEndpointResponse> {
    const { url, ...fields } = input;
    if (url !== undefined) this.assertUrl(url);
    const now = this.clock.now();
    const toggle = fields.isEnabled !== undefined && enabledChanges(fields.isEnabled, 'organization', now);
    const changes = { url, ...fields, updatedAt: now, ...toggle };
    const filter = toggle ? ({ disabledReason: { $ne: 'operator' } } as const) : {};
    const updated = await this.endpoints.update(scope, id, changes, { filter });
    if (updated !== null) return toEndpointResponse(updated);
    await this.find(scope, id);
    throw new ServiceError(errorCatalogue.endpointDisabled, { message: 'The operator has disabled the endpoint' });
  }

  /**
   * Disables or enables the endpoint of any organization, together with the audit event.
   * @throws ServiceError 40408
   */
  async setEnabled(
    actor: Actor,
    id: string,
    isEnabled: boolean,
    disabledReason: DisabledReason,
  ): Promise<WebhookEndpointResponse> {
    const organizationId = assertFound(await this.endpoints.ownerOf(id, {}));
    const scope = { organization: { id: organizationId }, assertMayWrite: actor.assertMayWrite };
    const changes = { isEnabled, ...(!isEnabled && { disabledReason }) };
    const target = { kind: 'webhookEndpoint', id } as const;
    return this.transactions.run(actor, async (session) => {
      const update = enabledChanges(isEnabled, disabledReason, this.clock.now());
      // The server disables only an enabled endpoint, so that the reason of an operator stays.
      const filter = disabledReason === 'operator' ? {} : { isEnabled: true };
      const updated = assertFound(await this.endpoints.update(scope, id, update, { filter, session }));
      const event = { action: 'toggleWebhookEndpoint', target, organizationId, changes };
      await this.audit.recordChange(actor, event, session);
      return toEndpointResponse(updated);
    });
  }

  /** @throws ServiceError 40408 */
  async remove(context: RequestContext, id: string): Promise<void> {
    await this.find(context, id);
    await this.transactions.run(context, (session) => this.endpoints.remove(context, id, session));
  }

  /**
   * Replaces the secret. The previous one also signs for 24 hours.
   * @throws ServiceError 40408
   */
  async rotateSecret(scope: OrganizationScope, id: string): Promise<WebhookEndpointWithSecretResponse> {
    const secret = newSecret();
    const endpoint = assertFound(await this.endpoints.rotate(scope, id, secret, this.clock.now()));
    return Object.assign(toEndpointResponse(endpoint), { secret });
  }

  /**
   * Sends a `ping`.
   * @throws ServiceError 40408, 40907 for a disabled endpoint
   */
  async sendTest(scope: OrganizationScope, id: string): Promise<WebhookDelivery> {
    const { _id: endpointId } = await this.findEnabled(scope, id);
    const endpoint = { _id: endpointId, organizationId: toRecordId(scope.organization.id) };
    const at = this.clock.now();
    const ping = { id: String(newRecordId()), type: 'ping', at, data: {} } as const;
    const delivery = toDelivery(endpoint, ping, at);
    await this.deliveries.insert(scope, delivery);
    await this.resume(scope, id);
    const { _id, event, status, attempts, createdAt } = delivery;
    return { _id, event, status, attempts, nextAttemptAt: createdAt, createdAt };
  }

  /**
   * Returns a page of the delivery log, newest first.
   * @throws ServiceError 40408, 40001 for a cursor of another list
   */
  async listDeliveries(scope: OrganizationScope, id: string, query: ListQuery): Promise<ListPage<WebhookDelivery>> {
    const page = new CursorPage(scope.organization.id, query, `webhook-endpoints/${id}/deliveries`, this.clock.now());
    await this.find(scope, id);
    return page.toResponse(await this.deliveries.findOfEndpoint(scope, id, page.start), (delivery) => delivery);
  }

  /**
   * Sends a delivery again.
   * @throws ServiceError 40408, 40409, 40907 for a disabled endpoint
   */
  async retry(scope: OrganizationScope, id: string, deliveryId: string): Promise<WebhookDelivery> {
    await this.findEnabled(scope, id);
    const delivery = await this.deliveries.retry(scope, id, deliveryId, this.clock.now());
    if (delivery === null) throw new ServiceError(errorCatalogue.deliveryNotFound);
    await this.resume(scope, id);
    return delivery;
  }

  /** Makes an endpoint due and ends its pause. An attempt in flight that fails pauses it again. */
  private async resume(scope: OrganizationScope, id: string): Promise<void> {
    const now = this.clock.now();
    await this.endpoints.update(scope, id, { dueAt: now, pausedUntil: now });
  }

  private async findEnabled(scope: OrganizationScope, id: string): Promise<ListedEndpoint> {
    const endpoint = await this.find(scope, id);
    if (!endpoint.isEnabled) throw new ServiceError(errorCatalogue.endpointDisabled);
    return endpoint;
  }

  private async find(scope: OrganizationScope, id: string): Promise<ListedEndpoint> {
    return assertFound(await this.endpoints.findById(scope, id));
  }

  private assertUrl(url: string): void {
    const problem = this.sender.problemOf(url);
    if (problem !== undefined) throw invalidField('url', `url ${problem}`);
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function assertFound<T>(endpoint: T | null): T {
  if (endpoint === null) throw new ServiceError(errorCatalogue.webhookEndpointNotFound);
  return endpoint;
}
