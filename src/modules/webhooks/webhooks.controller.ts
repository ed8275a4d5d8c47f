import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { publicPrefix } from '../../access/public-api.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import {
  CreateWebhookEndpoint,
  DeliveryId,
  DeliveryListResponse,
  EndpointId,
  ListDeliveriesQuery,
  RecoverDeliveries,
  RecoveredDeliveriesResponse,
  UpdateWebhookEndpoint,
  WebhookEndpointDataResponse,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
  WebhookEndpointWithSecretResponse,
} from './webhook.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDelivery } from './webhook-delivery.schema.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@Controller(`${publicPrefix}/webhook-endpoints`)
@IntegrationRoute('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Post()
  @RequiresScope('webhooks:write')
  @ApiOperation({
    summary: 'Create a webhook endpoint',
    description:
      "Registers a URL for the organization's future events, signed with Standard Webhooks. Store the secret: no other response contains it. An organization can have ten endpoints.",
  })
  @ApiErrors('tooManyEndpoints', 'endpointDisabled')
  @Returns(WebhookEndpointWithSecretResponse, 'The new endpoint with its secret.', 201)
  createWebhookEndpoint(@Context() context: RequestContext, @Body() body: CreateWebhookEndpoint) {
    return this.webhooks.create(context, body);
  }

  @Get()
  @RequiresScope('webhooks:read')
  @ApiOperation({ summary: 'List webhook endpoints', description: "Lists the organization's endpoints." })
  @Returns(WebhookEndpointListResponse, 'The endpoints.')
  listWebhookEndpoints(@Context() context: RequestContext) {
    return this.webhooks.list(context);
  }

  @Get(':id')
  @RequiresScope('webhooks:read')
  @ApiOperation({ summary: 'Get a webhook endpoint', description: 'Returns an endpoint with its state.' })
  @Returns(WebhookEndpointDataResponse, 'The endpoint.')
  async getWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string) {
    return { data: await this.webhooks.get(context, id) };
  }

  @Patch(':id')
  @RequiresScope('webhooks:write')
  @ApiOperation({
    summary: 'Update a webhook endpoint',
    description:
      'Updates the fields that you send; `null` clears `events` and `description`. A disabled endpoint gets no events. Enabling it resumes its pending deliveries; read the changes in between from `GET /changes`.',
  })
  @ApiErrors('endpointDisabled')
  @Returns(WebhookEndpointResponse, 'The updated endpoint.')
  updateWebhookEndpoint(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @Body() body: UpdateWebhookEndpoint,
  ) {
    return this.webhooks.update(context, id, body);
  }

  @Delete(':id')
  @RequiresScope('webhooks:write')
  @ApiOperation({
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes an endpoint and drops its pending deliveries, except a request in flight. Its log is no longer available. An endpoint that a super admin has disabled cannot be deleted.',
  })
  @ApiErrors('endpointDisabled')
  @Returns(MessageResponse, 'The endpoint was deleted.')
  async deleteWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string) {
    await this.webhooks.remove(context, id);
    return { message: 'Webhook endpoint deleted' };
  }

  @Post(':id/rotate-secret')
  @RequiresScope('webhooks:write')
  @ApiOperation({
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Replaces the secret. For 24 hours, requests carry two signatures: with the new secret and with the previous one. Store the secret: no other response contains it.',
  })
  @Returns(WebhookEndpointWithSecretResponse, 'The endpoint with its new secret.')
  rotateWebhookSecret(@Context() context: RequestContext, @EndpointId() id: string) {
    return this.webhooks.rotateSecret(context, id);
  }

  @Post(':id/test')
  @RequiresScope('webhooks:write')
  @ApiOperation({ summary: 'Test a webhook endpoint', description: 'Sends a `ping` event to the endpoint.' })
  @ApiErrors('endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier pending ones are sent first.', 202)
  testWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string) {
    return this.deliveries.sendTest(context, id);
  }

  @Get(':id/deliveries')
  @RequiresScope('webhooks:read')
  @ApiOperation({
    summary: 'List deliveries',
    description: 'Lists the deliveries of the last 30 days to an endpoint, newest first, with their attempts.',
  })
  @Returns(DeliveryListResponse, 'A page of deliveries.')
  listDeliveries(@Context() context: RequestContext, @EndpointId() id: string, @Query() query: ListDeliveriesQuery) {
    return this.deliveries.listDeliveries(context, id, query);
  }

  @Post(':id/deliveries/:deliveryId/retry')
  @RequiresScope('webhooks:write')
  @ApiOperation({ summary: 'Retry a delivery', description: 'Sends a delivery again, with the same `webhook-id`.' })
  @ApiErrors('endpointDisabled')
  @Returns(WebhookDelivery, 'The delivery. Earlier pending ones are sent first.', 202)
  retryDelivery(@Context() context: RequestContext, @EndpointId() id: string, @DeliveryId() deliveryId: string) {
    return this.deliveries.retry(context, id, deliveryId);
  }

  @Post(':id/recover')
  @RequiresScope('webhooks:write')
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
