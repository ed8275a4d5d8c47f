import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../access/access.decorators.js';
import { Returns } from '../../http/returns.decorator.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { AuditEventListResponse, ListAuditEventsQuery } from './audit-event.dto.js';
import { AuditTrail } from './audit-trail.js';

@ApiTags('Audit')
@Controller('audit-events')
@AdminRoute('superAdmin')
export class AuditEventsController {
  constructor(
    private readonly audit: AuditTrail,
    private readonly organizations: OrganizationsService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List audit events',
    description:
      'Lists changes to API keys, organizations, users, seasons, player statistics, calendar links and webhook endpoints, webhooks that super admins test or send again, exported and erased players, players that an admin found, imports by super admins, logins and logouts, and rejected logins of existing users (except those with `42902`), newest first. Filters are combined with AND. Request the next page with `nextCursor`: new events do not shift the pages.',
  })
  @Returns(AuditEventListResponse, 'A page of audit events.')
  async listAuditEvents(@Query() query: ListAuditEventsQuery) {
    const { data, ...page } = await this.audit.list(query);
    return { data: await this.organizations.withNames(data), ...page };
  }
}
