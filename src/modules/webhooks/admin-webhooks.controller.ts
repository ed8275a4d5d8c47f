import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import {
  AnyWebhookEndpointDataResponse,
  AnyWebhookEndpointListResponse,
  EndpointId,
  ListAllWebhookEndpointsQuery,
  ToggleWebhookEndpoint,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

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
  @ApiOkResponse({ type: WebhookEndpointListResponse, description: 'The endpoints.' })
  async listOrganizationWebhookEndpoints(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
  ): Promise<WebhookEndpointListResponse> {
    return this.webhooks.list(await this.organizations.scopeFor(context, organizationId));
  }

  @Get('webhook-endpoints')
  @ApiOperation({
    summary: 'List all webhook endpoints',
    description:
      'Lists the endpoints of all organizations with their state: first those that fail, the latest failure first, then the others in order of creation.',
  })
  @ApiOkResponse({ type: AnyWebhookEndpointListResponse, description: 'A page of endpoints.' })
  async listAllWebhookEndpoints(@Query() query: ListAllWebhookEndpointsQuery): Promise<AnyWebhookEndpointListResponse> {
    const { data, total } = await this.webhooks.listAll(query);
    return { data: await this.organizations.withNames(data), total };
  }

  @Get('webhook-endpoints/:id')
  @ApiOperation({ summary: 'Get any webhook endpoint', description: 'Returns an endpoint with its state.' })
  @ApiErrors('webhookEndpointNotFound')
  @ApiOkResponse({ type: AnyWebhookEndpointDataResponse, description: 'The endpoint.' })
  async getAnyWebhookEndpoint(
    @Context() context: AdminContext,
    @EndpointId() id: string,
  ): Promise<AnyWebhookEndpointDataResponse> {
    const endpoint = await this.webhooks.get(await this.webhooks.scopeOf(context, id), id);
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
  @ApiOkResponse({ type: WebhookEndpointResponse, description: 'The updated endpoint.' })
  updateAnyWebhookEndpoint(
    @Context() context: AdminContext,
    @EndpointId() id: string,
    @Body() { isEnabled }: ToggleWebhookEndpoint,
  ): Promise<WebhookEndpointResponse> {
    return this.webhooks.setEnabled(context, id, isEnabled, 'admin');
  }
}
