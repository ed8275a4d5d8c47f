import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import type { RequestContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { publicPrefix } from '../../access/public-api.js';
import {
  CreateWebhookEndpoint,
  EndpointId,
  OfEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointDataResponse,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
  WebhookEndpointWithSecretResponse,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@Controller(`${publicPrefix}/webhook-endpoints`)
@IntegrationRoute('webhooks')
export class WebhookEndpointsController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @RequiresScope('webhooks:write')
  @ApiOperation({
    summary: 'Create a webhook endpoint',
    description:
      "Registers a URL for the organization's future events, signed with Standard Webhooks. Store the secret: no other response contains it. An organization can have ten endpoints.",
  })
  @ApiErrors('tooManyEndpoints', 'endpointDisabled')
  @ApiCreatedResponse({ type: WebhookEndpointWithSecretResponse, description: 'The new endpoint with its secret.' })
  createWebhookEndpoint(
    @Context() context: RequestContext,
    @Body() body: CreateWebhookEndpoint,
  ): Promise<WebhookEndpointWithSecretResponse> {
    return this.webhooks.create(context, body);
  }

  @Get()
  @RequiresScope('webhooks:read')
  @ApiOperation({ summary: 'List webhook endpoints', description: "Lists the organization's endpoints." })
  @ApiOkResponse({ type: WebhookEndpointListResponse, description: 'The endpoints.' })
  listWebhookEndpoints(@Context() context: RequestContext): Promise<WebhookEndpointListResponse> {
    return this.webhooks.list(context);
  }

  @Get(':id')
  @OfEndpoint('webhooks:read')
  @ApiOperation({ summary: 'Get a webhook endpoint', description: 'Returns an endpoint with its state.' })
  @ApiOkResponse({ type: WebhookEndpointDataResponse, description: 'The endpoint.' })
  async getWebhookEndpoint(
    @Context() context: RequestContext,
    @EndpointId() id: string,
  ): Promise<WebhookEndpointDataResponse> {
    return { data: await this.webhooks.get(context, id) };
  }

  @Patch(':id')
  @OfEndpoint('webhooks:write')
  @ApiOperation({
    summary: 'Update a webhook endpoint',
    description:
      'Updates the fields that you send; `null` clears `events` and `description`. A disabled endpoint gets no events. Enabling it resumes its pending deliveries; read the changes in between from `GET /changes`.',
  })
  @ApiErrors('endpointDisabled')
  @ApiOkResponse({ type: WebhookEndpointResponse, description: 'The updated endpoint.' })
  updateWebhookEndpoint(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @Body() body: UpdateWebhookEndpoint,
  ): Promise<WebhookEndpointResponse> {
    return this.webhooks.update(context, id, body);
  }

  @Delete(':id')
  @OfEndpoint('webhooks:write')
  @ApiOperation({
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes an endpoint and drops its pending deliveries, except a request in flight. Its log is no longer available. An endpoint that a super admin has disabled cannot be deleted.',
  })
  @ApiErrors('endpointDisabled')
  @ApiOkResponse({ type: MessageResponse, description: 'The endpoint was deleted.' })
  async deleteWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string): Promise<MessageResponse> {
    await this.webhooks.remove(context, id);
    return { message: 'Webhook endpoint deleted' };
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @OfEndpoint('webhooks:write')
  @ApiOperation({
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Replaces the secret. For 24 hours, requests carry two signatures: with the new secret and with the previous one. Store the secret: no other response contains it.',
  })
  @ApiOkResponse({ type: WebhookEndpointWithSecretResponse, description: 'The endpoint with its new secret.' })
  rotateWebhookSecret(
    @Context() context: RequestContext,
    @EndpointId() id: string,
  ): Promise<WebhookEndpointWithSecretResponse> {
    return this.webhooks.rotateSecret(context, id);
  }
}
