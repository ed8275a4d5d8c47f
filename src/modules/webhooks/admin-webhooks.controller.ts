import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { Returns } from '../../http/returns.decorator.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import {
  AnyDeliveryListResponse,
  AnyWebhookEndpointDataResponse,
  AnyWebhookEndpointListResponse,
  DeliveryId,
  EndpointId,
  ListAllWebhookEndpointsQuery,
  ListDeliveriesQuery,
  RecoverDeliveries,
  RecoveredDeliveriesResponse,
  ToggleWebhookEndpoint,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
} from './webhook.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDelivery } from './webhook-delivery.schema.js';
import { WebhooksService } from './webhooks.service.js';

/** What partners do with their endpoints, for super admins, whose changes are audited. */
@ApiTags('Webhooks')
@Controller()
@AdminRoute('superAdmin')
export class AdminWebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly organizations: OrganizationsService,
  ) {}

  @Get('organizations/:organizationId/webhook-endpoints')
  @ApiOperation({
    summary: "List an organization's webhook endpoints",
    description: 'Lists the endpoints of an organization with their state.',
  })
  @Returns(WebhookEndpointListResponse, 'The endpoints.')
  async listOrganizationWebhookEndpoints(@Context() context: AdminContext, @OrganizationId() organizationId: string) {
    return this.webhooks.list(await this.organizations.tenantFor(context, organizationId));
  }

  @Get('webhook-endpoints')
  @ApiOperation({
    summary: 'List all webhook endpoints',
    description:
      'Lists the endpoints of all organizations with their state: first those that fail, the latest failure first, then the others in order of creation.',
  })
  @Returns(AnyWebhookEndpointListResponse, 'A page of endpoints.')
  async listAllWebhookEndpoints(@Query() query: ListAllWebhookEndpointsQuery) {
    const { data, total } = await this.webhooks.listAll(query);
    return { data: await this.organizations.withNames(data), total };
  }

  @Get('webhook-endpoints/:id')
  @ApiOperation({ summary: 'Get any webhook endpoint', description: 'Returns an endpoint with its state.' })
  @Returns(AnyWebhookEndpointDataResponse, 'The endpoint.')
  async getAnyWebhookEndpoint(@Context() context: AdminContext, @EndpointId() id: string) {
    const endpoint = await this.webhooks.get(await this.webhooks.tenantOf(context, id), id);
    const [data = endpoint] = await this.organizations.withNames([endpoint]);
    return { data };
  }

  @Patch('webhook-endpoints/:id')
  @ApiOperation({
    summary: 'Disable or enable a webhook endpoint',
    description:
      'Disables or enables an endpoint. While a super admin has disabled it, its organization can neither change nor delete it, and no other endpoint of the organization can get a URL with its host.',
  })
  @Returns(WebhookEndpointResponse, 'The updated endpoint.')
  updateAnyWebhookEndpoint(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Body() { isEnabled }: ToggleWebhookEndpoint,
  ) {
    return this.webhooks.setEnabled(context, id, isEnabled, 'admin');
  }

  @Get('webhook-endpoints/:id/deliveries')
  @ApiOperation({
    summary: 'List the deliveries of any webhook endpoint',
    description:
      'Lists the deliveries of the last 30 days to an endpoint, newest first, with their records and attempts.',
  })
  @Returns(AnyDeliveryListResponse, 'A page of deliveries.')
  async listAnyDeliveries(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Query() query: ListDeliveriesQuery,
  ) {
    return this.deliveries.listAnyDeliveries(await this.webhooks.tenantOf(context, id), id, query);
  }

  @Post('webhook-endpoints/:id/test')
  @ApiOperation({ summary: 'Test any webhook endpoint', description: 'Sends a `ping` event to the endpoint.' })
  @ApiErrors('endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier ones are sent first.', 202)
  async testAnyWebhookEndpoint(@Context() context: AdminContext, @EndpointId() id: string) {
    return this.deliveries.sendTest(await this.webhooks.tenantOf(context, id), id);
  }

  @Post('webhook-endpoints/:id/deliveries/:deliveryId/retry')
  @ApiOperation({
    summary: 'Retry any delivery',
    description: 'Sends a delivery again, with the same `webhook-id`.',
  })
  @ApiErrors('endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier ones are sent first.', 202)
  async retryAnyDelivery(@Context() context: AdminContext, @EndpointId() id: string, @DeliveryId() deliveryId: string) {
    return this.deliveries.retry(await this.webhooks.tenantOf(context, id), id, deliveryId);
  }

  @Post('webhook-endpoints/:id/recover')
  @ApiOperation({
    summary: 'Recover the failed deliveries of any webhook endpoint',
    description:
      'Sends every delivery again whose latest attempt failed since a time, also those that wait for their next attempt, each with the same `webhook-id`.',
  })
  @ApiErrors('endpointDisabled')
  @Returns(RecoveredDeliveriesResponse, 'The deliveries are sent soon.', 202)
  async recoverAnyWebhookEndpoint(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Body() { since }: RecoverDeliveries,
  ) {
    const tenant = await this.webhooks.tenantOf(context, id);
    return { data: { queued: await this.deliveries.recover(tenant, id, since) } };
  }
}
