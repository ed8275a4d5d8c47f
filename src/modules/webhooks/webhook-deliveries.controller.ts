import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { publicPrefix } from '../../access/public-api.js';
import {
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

@ApiTags('Webhooks')
@Controller(`${publicPrefix}/webhook-endpoints`)
@IntegrationRoute('webhooks')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Post(':id/test')
  @HttpCode(202)
  @OfEndpoint('webhooks:write')
  @ApiOperation({ summary: 'Test a webhook endpoint', description: 'Sends a `ping` event to the endpoint.' })
  @ApiErrors('endpointDisabled')
  @ApiAcceptedResponse({ type: WebhookDelivery, description: 'The delivery. Earlier pending ones are sent first.' })
  testWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string): Promise<WebhookDelivery> {
    return this.deliveries.sendTest(context, id);
  }

  @Get(':id/deliveries')
  @OfEndpoint('webhooks:read')
  @ApiOperation({
    summary: 'List deliveries',
    description: 'Lists the deliveries of the last 30 days to an endpoint, newest first, with their attempts.',
  })
  @ApiOkResponse({ type: DeliveryListResponse, description: 'A page of deliveries.' })
  listDeliveries(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<DeliveryListResponse> {
    return this.deliveries.listDeliveries(context, id, query);
  }

  @Post(':id/deliveries/:deliveryId/retry')
  @HttpCode(202)
  @OfEndpoint('webhooks:write')
  @ApiOperation({ summary: 'Retry a delivery', description: 'Sends a delivery again, with the same `webhook-id`.' })
  @ApiErrors('deliveryNotFound', 'endpointDisabled')
  @ApiAcceptedResponse({ type: WebhookDelivery, description: 'The delivery. Earlier pending ones are sent first.' })
  retryDelivery(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @DeliveryId() deliveryId: string,
  ): Promise<WebhookDelivery> {
    return this.deliveries.retry(context, id, deliveryId);
  }

  @Post(':id/recover')
  @HttpCode(202)
  @OfEndpoint('webhooks:write')
  @ApiOperation({
    summary: 'Recover failed deliveries',
    description:
      'Sends every delivery again that failed since a time, in the order of the events, each with the same `webhook-id`. Call it when the endpoint works again after an outage. It is safe to repeat.',
  })
  @ApiErrors('endpointDisabled')
  @ApiAcceptedResponse({ type: RecoveredDeliveriesResponse, description: 'The deliveries are sent soon.' })
  async recoverWebhookEndpoint(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @Body() { since }: RecoverDeliveries,
  ): Promise<RecoveredDeliveriesResponse> {
    return { data: { queued: await this.deliveries.recover(context, id, since) } };
  }
}
