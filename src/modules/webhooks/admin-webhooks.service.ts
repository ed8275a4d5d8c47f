import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { AdminContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import type { Page } from '../../common/http/paging.js';
import { Transactions } from '../../database/transaction.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { toEndpointResponse, type ToggleWebhookEndpoint, type WebhookEndpointResponse } from './webhook.dto.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { changesOfToggle } from './webhook.rules.js';

/** The webhook endpoints of any organization, for super admins. */
@Injectable()
export class AdminWebhooksService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the endpoints of an organization.
   * @throws ServiceError 40406
   */
  async list({ assertMayWrite }: AdminContext, organizationId: string): Promise<Page<WebhookEndpointResponse>> {
    await this.organizations.get(organizationId);
    const found = await this.endpoints.findAll({ organization: { id: organizationId }, assertMayWrite });
    return { data: found.map(toEndpointResponse), total: found.length };
  }

  /**
   * Disables or enables an endpoint.
   * @throws ServiceError 40408
   */
  async toggle(
    actor: AdminContext,
    id: string,
    { isEnabled }: ToggleWebhookEndpoint,
  ): Promise<WebhookEndpointResponse> {
    const organizationId = await this.endpoints.ownerOf(id, {});
    if (organizationId === null) throw new ServiceError(errorCatalogue.webhookEndpointNotFound);
    const scope = { organization: { id: organizationId }, assertMayWrite: actor.assertMayWrite };
    const changes = changesOfToggle(isEnabled, 'operator', this.clock.now());
    const target = { kind: 'webhookEndpoint', id } as const;
    const event = { action: 'toggleWebhookEndpoint', target, organizationId, changes: { isEnabled } };
    return this.transactions.run(actor, async (session) => {
      const updated = await this.endpoints.update(scope, id, changes, session);
      if (updated === null) throw new ServiceError(errorCatalogue.webhookEndpointNotFound);
      await this.audit.recordChange(actor, event, session);
      return toEndpointResponse(updated);
    });
  }
}
