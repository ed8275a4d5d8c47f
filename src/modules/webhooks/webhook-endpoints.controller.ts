import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import type { AdminContext, RequestContext } from '../../access/request-context.js';
import { MessageResponse } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { publicPrefix } from '../../access/public-api.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import {
  AnyWebhookEndpointDataResponse,
  AnyWebhookEndpointListResponse,
  CreateWebhookEndpoint,
  EndpointId,
  ListAllWebhookEndpointsQuery,
  OfEndpoint,
  ToggleWebhookEndpoint,
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
  @OfEndpoint('webhooks:read')
  @ApiOperation({ summary: 'Get a webhook endpoint', description: 'Returns an endpoint with its state.' })
  @Returns(WebhookEndpointDataResponse, 'The endpoint.')
  async getWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string) {
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
  @Returns(WebhookEndpointResponse, 'The updated endpoint.')
  updateWebhookEndpoint(
    @Context() context: RequestContext,
    @EndpointId() id: string,
    @Body() body: UpdateWebhookEndpoint,
  ) {
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
  @Returns(MessageResponse, 'The endpoint was deleted.')
  async deleteWebhookEndpoint(@Context() context: RequestContext, @EndpointId() id: string) {
    await this.webhooks.remove(context, id);
    return { message: 'Webhook endpoint deleted' };
  }

  @Post(':id/rotate-secret')
  @OfEndpoint('webhooks:write')
  @ApiOperation({
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Replaces the secret. For 24 hours, requests carry two signatures: with the new secret and with the previous one. Store the secret: no other response contains it.',
  })
  @Returns(WebhookEndpointWithSecretResponse, 'The endpoint with its new secret.')
  rotateWebhookSecret(@Context() context: RequestContext, @EndpointId() id: string) {
    return this.webhooks.rotateSecret(context, id);
  }
}

@ApiTags('Webhooks')
@Controller()
@AdminRoute('superAdmin')
export class AdminWebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly organizations: OrganizationsService,
  ) {}

  @Get('organizations/:organizationId/webhook-endpoints')
  @ApiOperation({
    summary: "List an organization's webhook endpoints",
    description: 'Lists the endpoints of an organization with their state.',
  })
  @ApiErrors('organizationNotFound')
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
  @ApiErrors('webhookEndpointNotFound')
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
  @ApiErrors('webhookEndpointNotFound')
  @Returns(WebhookEndpointResponse, 'The updated endpoint.')
  updateAnyWebhookEndpoint(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Body() { isEnabled }: ToggleWebhookEndpoint,
  ) {
    return this.webhooks.setEnabled(context, id, isEnabled, 'admin');
  }
}
