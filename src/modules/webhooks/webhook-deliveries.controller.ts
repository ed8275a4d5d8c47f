import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, IntegrationRoute } from '../../access/access.decorators.js';
import type { AdminContext, RequestContext } from '../../access/request-context.js';
import { publicPrefix } from '../../access/public-api.js';
import { Returns } from '../../http/returns.decorator.js';
import {
  AnyDeliveryListResponse,
  DeliveryId,
  DeliveryListResponse,
  EndpointId,
  ListDeliveriesQuery,
  OfEndpoint,
  RecoverDeliveries,
  RecoveredDeliveriesResponse,
} from './webhook.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDelivery } from './webhook-delivery.schema.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@Controller(`${publicPrefix}/webhook-endpoints`)
@IntegrationRoute('webhooks')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Post(':id/test')
  @OfEndpoint('webhooks:write')
  @ApiOperation({ summary: 'Test a webhook endpoint', description: 'Sends a `ping` event to the endpoint.' })
  @ApiErrors('endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier pending ones are sent first.', 202)
  testWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string) {
    return this.deliveries.sendTest(context, id);
  }

  @Get(':id/deliveries')
  @OfEndpoint('webhooks:read')
  @ApiOperation({
    summary: 'List deliveries',
    description: 'Lists the deliveries of the last 30 days to an endpoint, newest first, with their attempts.',
  })
  @Returns(DeliveryListResponse, 'A page of deliveries.')
  listDeliveries(@Context() context: RequestContext, @EndpointId() id: string, @Query() query: ListDeliveriesQuery) {
    return this.deliveries.listDeliveries(context, id, query);
  }

  @Post(':id/deliveries/:deliveryId/retry')
  @OfEndpoint('webhooks:write')
  @ApiOperation({ summary: 'Retry a delivery', description: 'Sends a delivery again, with the same `webhook-id`.' })
  @ApiErrors('deliveryNotFound', 'endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier pending ones are sent first.', 202)
  retryDelivery(@Context() context: RequestContext, @EndpointId() id: string, @DeliveryId() deliveryId: string) {
    return this.deliveries.retry(context, id, deliveryId);
  }

  @Post(':id/recover')
  @OfEndpoint('webhooks:write')
  @ApiOperation({
    summary: 'Recover failed deliveries',
    description:
      'Sends every delivery again whose latest attempt failed since a time, each with the same `webhook-id`: those that have failed, and at once those that wait for their next attempt. Call it when the endpoint works again after an outage. It is safe to repeat. The first success of a failing endpoint also releases what waits.',
  })
  @ApiErrors('endpointDisabled')
  @Returns(RecoveredDeliveriesResponse, 'The deliveries are sent soon.', 202)
  async recoverWebhookEndpoint(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @Body() { since }: RecoverDeliveries,
  ) {
    return { data: { queued: await this.deliveries.recover(context, id, since) } };
  }
}

/** What partners do with their endpoints, for super admins, whose changes are audited. */
@ApiTags('Webhooks')
@Controller('webhook-endpoints/:id')
@AdminRoute('superAdmin')
export class AdminDeliveriesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get('deliveries')
  @ApiOperation({
    summary: 'List the deliveries of any webhook endpoint',
    description:
      'Lists the deliveries of the last 30 days to an endpoint, newest first, with their records and attempts.',
  })
  @ApiErrors('webhookEndpointNotFound')
  @Returns(AnyDeliveryListResponse, 'A page of deliveries.')
  async listAnyDeliveries(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Query() query: ListDeliveriesQuery,
  ) {
    return this.deliveries.listAnyDeliveries(await this.webhooks.tenantOf(context, id), id, query);
  }

  @Post('test')
  @ApiOperation({ summary: 'Test any webhook endpoint', description: 'Sends a `ping` event to the endpoint.' })
  @ApiErrors('webhookEndpointNotFound', 'endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier ones are sent first.', 202)
  async testAnyWebhookEndpoint(@Context() context: AdminContext, @EndpointId() id: string) {
    return this.deliveries.sendTest(await this.webhooks.tenantOf(context, id), id);
  }

  @Post('deliveries/:deliveryId/retry')
  @ApiOperation({
    summary: 'Retry any delivery',
    description: 'Sends a delivery again, with the same `webhook-id`.',
  })
  @ApiErrors('webhookEndpointNotFound', 'deliveryNotFound', 'endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier ones are sent first.', 202)
  async retryAnyDelivery(@Context() context: AdminContext, @EndpointId() id: string, @DeliveryId() deliveryId: string) {
    return this.deliveries.retry(await this.webhooks.tenantOf(context, id), id, deliveryId);
  }

  @Post('recover')
  @ApiOperation({
    summary: 'Recover the failed deliveries of any webhook endpoint',
    description:
      'Sends every delivery again whose latest attempt failed since a time, also those that wait for their next attempt, each with the same `webhook-id`.',
  })
  @ApiErrors('webhookEndpointNotFound', 'endpointDisabled')
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
