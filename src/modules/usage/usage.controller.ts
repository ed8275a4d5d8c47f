import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../access/access.decorators.js';
import { Returns } from '../../http/returns.decorator.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { FailedRequests } from './failed-requests.service.js';
import {
  FailedRequestListResponse,
  HourlyUsageResponse,
  ListFailedRequestsQuery,
  ListUsageOutcomesQuery,
  ListUsageQuery,
  UsageListResponse,
  UsageOutcomeListResponse,
  OrganizationUsageQuery,
} from './usage.dto.js';
import { UsageService } from './usage.service.js';

@ApiTags('Usage')
@Controller()
@AdminRoute('superAdmin')
export class UsageController {
  constructor(
    private readonly usage: UsageService,
    private readonly failed: FailedRequests,
    private readonly organizations: OrganizationsService,
  ) {}

  @Get('organizations/:organizationId/usage')
  @ApiOperation({
    summary: 'Get the usage of an organization',
    description:
      'Returns the number of requests with API keys of an organization by hour. The last entry is the current hour, about 10 seconds behind. Counts are kept for 7 days. By key, each server counts up to 200 outcomes per hour.',
  })
  @Returns(HourlyUsageResponse, 'The usage by hour.')
  async getOrganizationUsage(@OrganizationId() organizationId: string, @Query() query: OrganizationUsageQuery) {
    await this.organizations.get(organizationId);
    return { data: await this.usage.getOfOrganization(organizationId, query.hours, query.apiKeyId) };
  }

  @Get('organizations/:organizationId/usage/outcomes')
  @ApiOperation({
    summary: "List the outcomes of an organization's requests",
    description:
      'Counts the requests with API keys of an organization by key, operation, status and error code, the most frequent first. Requests with a rejected key are counted by its `rejection` and, unlike others, not in the usage. The counts are about 10 seconds behind and are kept for 7 days.',
  })
  @Returns(UsageOutcomeListResponse, 'A page of outcomes.')
  async listUsageOutcomes(@OrganizationId() organizationId: string, @Query() query: ListUsageOutcomesQuery) {
    await this.organizations.get(organizationId);
    return this.usage.listOutcomes(organizationId, query);
  }

  @Get('failed-requests')
  @ApiOperation({
    summary: 'List failed requests',
    description:
      'Lists the requests of existing API keys that got an error, also of revoked, expired and disabled ones and with a wrong secret, newest first: at most 60 per minute, key and server, some seconds behind, kept for 7 days. Filters are combined with AND. Request the next page with `nextCursor`: new requests do not shift the pages.',
  })
  @Returns(FailedRequestListResponse, 'A page of failed requests.')
  async listFailedRequests(@Query() query: ListFailedRequestsQuery) {
    const { data, ...page } = await this.failed.list(query);
    return { data: await this.organizations.withNames(data), ...page };
  }

  @Get('usage')
  @ApiOperation({
    summary: 'List the usage of organizations',
    description:
      'Lists the organizations that sent the most requests with API keys, with hourly counts, about 10 seconds behind.',
  })
  @Returns(UsageListResponse, 'The usage by organization.')
  listUsage(@Query() query: ListUsageQuery) {
    return this.usage.list(query);
  }
}
