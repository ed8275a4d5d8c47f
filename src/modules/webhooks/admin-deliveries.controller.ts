import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import {
  DeliveryId,
  AnyDeliveryListResponse,
  EndpointId,
  ListDeliveriesQuery,
  RecoverDeliveries,
  RecoveredDeliveriesResponse,
} from './webhook.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDelivery } from './webhook-delivery.schema.js';
import { WebhooksService } from './webhooks.service.js';

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
  @ApiOkResponse({ type: AnyDeliveryListResponse, description: 'A page of deliveries.' })
  async listAnyDeliveries(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<AnyDeliveryListResponse> {
    return this.deliveries.listAnyDeliveries(await this.webhooks.scopeOf(context, id), id, query);
  }

  @Post('test')
  @HttpCode(202)
  @ApiOperation({ summary: 'Test any webhook endpoint', description: 'Sends a `ping` event to the endpoint.' })
  @ApiErrors('webhookEndpointNotFound', 'endpointDisabled')
  @ApiAcceptedResponse({ type: WebhookDelivery, description: 'The delivery. Earlier ones are sent first.' })
  async testAnyWebhookEndpoint(@Context() context: AdminContext, @EndpointId() id: string): Promise<WebhookDelivery> {
    return this.deliveries.sendTest(await this.webhooks.scopeOf(context, id), id);
  }

  @Post('deliveries/:deliveryId/retry')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Retry any delivery',
    description: 'Sends a delivery again, with the same `webhook-id`.',
  })
  @ApiErrors('webhookEndpointNotFound', 'deliveryNotFound', 'endpointDisabled')
  @ApiAcceptedResponse({ type: WebhookDelivery, description: 'The delivery. Earlier ones are sent first.' })
  async retryAnyDelivery(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @DeliveryId() deliveryId: string,
  ): Promise<WebhookDelivery> {
    return this.deliveries.retry(await this.webhooks.scopeOf(context, id), id, deliveryId);
  }

  @Post('recover')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Recover the failed deliveries of any webhook endpoint',
    description: 'Sends every delivery again that failed since a time, each with the same `webhook-id`.',
  })
  @ApiErrors('webhookEndpointNotFound', 'endpointDisabled')
  @ApiAcceptedResponse({ type: RecoveredDeliveriesResponse, description: 'The deliveries are sent soon.' })
  async recoverAnyWebhookEndpoint(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Body() { since }: RecoverDeliveries,
  ): Promise<RecoveredDeliveriesResponse> {
    const scope = await this.webhooks.scopeOf(context, id);
    return { data: { queued: await this.deliveries.recover(scope, id, since) } };
  }
}
