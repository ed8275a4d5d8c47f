import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import type { OrganizationScope, RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../common/errors/service-error.js';
import type { ListPage, Page } from '../../common/http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { Transactions } from '../../database/transaction.js';
import {
  type CreateWebhookEndpoint,
  type ListDeliveriesQuery,
  toEndpointResponse,
  type UpdateWebhookEndpoint,
  type WebhookEndpointResponse,
  type WebhookEndpointWithSecretResponse,
} from './webhook.dto.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { WebhookDelivery } from './webhook-delivery.schema.js';
import { type ListedEndpoint, WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { toDelivery } from './webhook-fan-out.js';
import { WebhookQueueRepository } from './webhook-queue.repository.js';
import { changesOfToggle } from './webhook.rules.js';
import { webhookUrlProblem } from './webhook-url.js';

/** How long the secret before a rotation also signs, in milliseconds. */
const rotationMilliseconds = 24 * 60 * 60 * 1_000;

/** The webhook endpoints of an organization and their delivery logs. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly queue: WebhookQueueRepository,
    private readonly transactions: Transactions,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an endpoint. Only the responses of this method and of `rotateSecret` contain a secret.
   * @throws ServiceError 40001 for a URL that events must not be sent to, 40906 for the eleventh endpoint
   */
  async create(context: RequestContext, input: CreateWebhookEndpoint): Promise<WebhookEndpointWithSecretResponse> {
    this.assertUrl(input.url);
    const now = this.clock.now();
    const secret = newSecret();
    const endpoint = {
      ...input,
      _id: newRecordId(),
      organizationId: toRecordId(context.organization.id),
      createdBy: toRecordId(context.actingUser.id),
      isEnabled: true,
      secret,
      failures: 0,
      pausedUntil: now,
      leasedUntil: now,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await this.endpoints.insert(context, endpoint))) throw new ServiceError(errorCatalogue.tooManyEndpoints);
    return { ...toEndpointResponse(endpoint), secret };
  }

  /** Returns the endpoints in order of creation. */
  async list(scope: OrganizationScope): Promise<Page<WebhookEndpointResponse>> {
    const endpoints = await this.endpoints.findAll(scope);
    return { data: endpoints.map(toEndpointResponse), total: endpoints.length };
  }

  /** @throws ServiceError 40408 */
  async get(scope: OrganizationScope, id: string): Promise<WebhookEndpointResponse> {
    return toEndpointResponse(await this.find(scope, id));
  }

  /**
   * Updates the sent fields of an endpoint. Enabling it also ends its failures and its pause.
   * @throws ServiceError 40408; 40001 for a URL that events must not be sent to; 40907 if a super admin has disabled it
   */
  async update(scope: OrganizationScope, id: string, input: UpdateWebhookEndpoint): Promise<WebhookEndpointResponse> {
    if (input.url !== undefined) this.assertUrl(input.url);
    const { isEnabled, disabledReason } = await this.find(scope, id);
    if (!isEnabled && input.isEnabled === true && disabledReason === 'operator')
      throw new ServiceError(errorCatalogue.endpointDisabled, { message: 'The operator has disabled the endpoint' });
    const now = this.clock.now();
    const isToggled = input.isEnabled !== undefined && input.isEnabled !== isEnabled;
    const toggle = isToggled && changesOfToggle(input.isEnabled === true, 'organization', now);
    const updated = await this.endpoints.update(scope, id, { ...input, updatedAt: now, ...toggle });
    return toEndpointResponse(assertFound(updated));
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
    const stored = await this.endpoints.findSecret(scope, id);
    const now = this.clock.now();
    const secret = newSecret();
    const previousSecret = stored && { ...stored, expiresAt: new Date(now.getTime() + rotationMilliseconds) };
    const updated = await this.endpoints.update(scope, id, { secret, previousSecret, updatedAt: now });
    return { ...toEndpointResponse(assertFound(updated)), secret };
  }

  /**
   * Sends a `ping`.
   * @throws ServiceError 40408, 40907 for a disabled endpoint
   */
  async sendTest(scope: OrganizationScope, id: string): Promise<WebhookDelivery> {
    const endpoint = assertEnabled(await this.find(scope, id));
    const subscriber = { _id: endpoint._id, organizationId: toRecordId(scope.organization.id) };
    const delivery = toDelivery(subscriber, {
      id: String(newRecordId()),
      type: 'ping',
      at: this.clock.now(),
      data: {},
    });
    await this.queue.enqueue([delivery]);
    return delivery;
  }

  /**
   * Returns a page of the delivery log, newest first.
   * @throws ServiceError 40408, 40001 for a cursor of another list
   */
  async listDeliveries(
    scope: OrganizationScope,
    id: string,
    query: ListDeliveriesQuery,
  ): Promise<ListPage<WebhookDelivery>> {
    const page = new CursorPage(scope.organization.id, query, `webhook-endpoints/${id}/deliveries`, this.clock.now());
    await this.find(scope, id);
    return page.toResponse(await this.deliveries.findOfEndpoint(scope, id, page.start), (delivery) => delivery);
  }

  /**
   * Sends a delivery again, now.
   * @throws ServiceError 40408, 40409, 40907 for a disabled endpoint
   */
  async retry(scope: OrganizationScope, id: string, deliveryId: string): Promise<WebhookDelivery> {
    assertEnabled(await this.find(scope, id));
    const now = this.clock.now();
    const delivery = await this.deliveries.retry(scope, id, deliveryId, now);
    if (delivery === null) throw new ServiceError(errorCatalogue.deliveryNotFound);
    await this.endpoints.update(scope, id, { pausedUntil: now });
    await this.queue.makeDue([[id, now]]);
    return delivery;
  }

  private async find(scope: OrganizationScope, id: string): Promise<ListedEndpoint> {
    return assertFound(await this.endpoints.findById(scope, id));
  }

  private assertUrl(url: string): void {
    const problem = webhookUrlProblem(url, this.configuration.webhooks.allowPrivateAddresses);
    if (problem !== undefined) throw invalidField('url', `url ${problem}`);
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function assertFound(endpoint: ListedEndpoint | null): ListedEndpoint {
  if (endpoint === null) throw new ServiceError(errorCatalogue.webhookEndpointNotFound);
  return endpoint;
}

function assertEnabled(endpoint: ListedEndpoint): ListedEndpoint {
  if (!endpoint.isEnabled) throw new ServiceError(errorCatalogue.endpointDisabled);
  return endpoint;
}
