import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { Actor, Tenant, RequestContext } from '../../access/request-context.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import { mapPage, type Page } from '../../http/paging.js';
import { type FieldChanges, newRecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { ChangesRepository } from '../changes/changes.repository.js';
import {
  type CreateWebhookEndpoint,
  type ListAllWebhookEndpointsQuery,
  toAuditChange,
  toEndpointResponse,
  type UpdateWebhookEndpoint,
  type WebhookEndpointResponse,
  type WebhookEndpointWithSecretResponse,
} from './webhook.dto.js';
import { beforeAnyTime, type DisabledReason, type WebhookEndpointRecord } from './webhook-endpoint.schema.js';
import { type ListedEndpoint, WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookHosts } from './webhook-hosts.js';
import { WebhookQueueRepository } from './webhook-queue.repository.js';
import { isBlocked, newSecret } from './webhook.rules.js';

@Injectable()
export class WebhooksService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly queue: WebhookQueueRepository,
    private readonly hosts: WebhookHosts,
    private readonly changes: ChangesRepository,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Creates an endpoint. Only the responses of this method and of `rotateSecret` contain a secret. */
  async create(context: RequestContext, { url, ...fields }: CreateWebhookEndpoint) {
    await this.assertUrl(context, url);
    const now = this.clock.now();
    const secret = newSecret();
    const endpoint = {
      url,
      ...fields,
      _id: newRecordId(),
      organizationId: toRecordId(context.organization.id),
      createdBy: toRecordId(context.actingUser.id),
      createdByKey: context.apiKey.keyPrefix,
      isEnabled: true,
      secret,
      position: await this.findFeedEnd(),
      pausedUntil: beforeAnyTime,
      leasedUntil: beforeAnyTime,
      createdAt: now,
      updatedAt: now,
    };
    const change = toAuditChange(context, 'createWebhookEndpoint', endpoint, { url, ...fields });
    const isInserted = await this.endpoints.insert(context, endpoint, (insertion) =>
      this.audit.recordWith(context, change, insertion),
    );
    if (!isInserted) throw new ServiceError('tooManyEndpoints');
    return Object.assign(toEndpointResponse(endpoint), { secret });
  }

  async list(tenant: Tenant): Promise<Page<WebhookEndpointResponse>> {
    const endpoints = await this.endpoints.findAll(tenant);
    return { data: endpoints.map(toEndpointResponse), total: endpoints.length };
  }

  /** Returns a page of the endpoints of all organizations. */
  async listAll(query: ListAllWebhookEndpointsQuery): Promise<Page<WebhookEndpointResponse>> {
    return mapPage(await this.queue.findEndpoints(query), toEndpointResponse);
  }

  async get(tenant: Tenant, id: string): Promise<WebhookEndpointResponse> {
    return toEndpointResponse(await this.find(tenant, id));
  }

  /** Updates the sent fields of an endpoint. */
  async update(context: RequestContext, id: string, input: UpdateWebhookEndpoint): Promise<WebhookEndpointResponse> {
    if (input.url !== undefined) await this.assertUrl(context, input.url);
    const before = await this.find(context, id);
    if (input.url === undefined && input.isEnabled === true) await this.assertNotBlocked(context, before.url);
    return this.change(context, context, before, input, 'organization');
  }

  /** Disables or enables the endpoint of any organization. */
  async setEnabled(actor: Actor, id: string, isEnabled: boolean, disabledReason: DisabledReason) {
    const tenant = await this.tenantOf(actor, id);
    const changes = { isEnabled, ...(!isEnabled && { disabledReason }) };
    return this.change(actor, tenant, await this.find(tenant, id), changes, disabledReason);
  }

  async remove(context: RequestContext, id: string): Promise<void> {
    const removed = await this.find(context, id);
    await this.audit.recordWith(context, toAuditChange(context, 'deleteWebhookEndpoint', removed), async (session) => {
      await this.store(context, id, { updatedAt: this.clock.now() }, 'organization', session);
      await this.endpoints.remove(context, id, session);
    });
  }

  /** Replaces the secret. The previous one also signs for 24 hours. */
  async rotateSecret(context: RequestContext, id: string): Promise<WebhookEndpointWithSecretResponse> {
    const secret = newSecret();
    const now = this.clock.now();
    const endpoint = await this.audit.recordWith(
      context,
      (rotated: ListedEndpoint) => toAuditChange(context, 'rotateWebhookSecret', rotated),
      async (session) => assertEndpoint(await this.endpoints.rotate(context, id, secret, now, session)),
    );
    return Object.assign(toEndpointResponse(endpoint), { secret });
  }

  /** Returns the organization of an endpoint as the tenant of an admin. */
  async tenantOf<T extends Actor>(actor: T, id: string): Promise<T & Pick<Tenant, 'organization'>> {
    const organizationId = assertEndpoint(await this.endpoints.ownerOf(id, {}));
    return { ...actor, organization: { id: organizationId } };
  }

  /** Returns the present end of the change feed, at which an enabled endpoint starts; before the feed is built, its beginning. */
  private async findFeedEnd(): Promise<string> {
    return (await this.changes.readCausally((session) => this.changes.findEnd(session))) ?? '';
  }

  async find(tenant: Tenant, id: string): Promise<ListedEndpoint> {
    return assertEndpoint(await this.endpoints.findById(tenant, id));
  }

  /** Changes an endpoint together with the audit event. Enabling it also ends its failures and its pause. */
  private async change(
    actor: Actor | RequestContext,
    tenant: Tenant,
    before: ListedEndpoint,
    input: UpdateWebhookEndpoint & { readonly disabledReason?: DisabledReason },
    reason: DisabledReason,
  ): Promise<WebhookEndpointResponse> {
    const id = String(before._id);
    const { isEnabled } = input;
    const updatedAt = this.clock.now();
    const enabled = { disabledReason: null, failingSince: null };
    const toggle = isEnabled !== undefined && (isEnabled ? enabled : { disabledReason: reason });
    const position = isEnabled === true && !before.isEnabled ? await this.findFeedEnd() : undefined;
    const change = toAuditChange(tenant, 'updateWebhookEndpoint', before, input);
    const updated = await this.audit.recordWith(actor, change, (session) =>
      this.store(tenant, id, { ...input, ...toggle, position, updatedAt }, reason, session),
    );
    if (isEnabled === true) await this.queue.resume(tenant.organization.id, id);
    return toEndpointResponse(updated);
  }

  /** Only a super admin changes an endpoint that a super admin has disabled. */
  private async store(
    tenant: Tenant,
    id: string,
    changes: FieldChanges<WebhookEndpointRecord>,
    reason: DisabledReason,
    session: Session,
  ): Promise<ListedEndpoint> {
    const filter = reason === 'admin' ? {} : ({ disabledReason: { $ne: 'admin' } } as const);
    const updated = await this.endpoints.update(tenant, id, changes, filter, session);
    if (updated !== null) return updated;
    await this.find(tenant, id);
    throw new ServiceError('endpointDisabled', { message: 'A super admin has disabled the endpoint' });
  }

  private async assertUrl(tenant: Tenant, url: string): Promise<void> {
    const problem = this.hosts.problemOf(url);
    if (problem !== undefined) throw invalidField('url', `url ${problem}`);
    await this.assertNotBlocked(tenant, url);
  }

  /** Otherwise another endpoint would replace the one that a super admin has disabled. */
  private async assertNotBlocked(tenant: Tenant, url: string): Promise<void> {
    if (isBlocked(url, await this.endpoints.findAll(tenant))) {
      throw new ServiceError('endpointDisabled', { message: 'A super admin has disabled an endpoint with this host' });
    }
  }
}

const assertEndpoint = <T>(endpoint: T | null): T => assertFound(endpoint, 'webhookEndpointNotFound');
