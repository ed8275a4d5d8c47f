import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { Returns } from '../../http/returns.decorator.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { FoundRecordsDataResponse, RecordCountsDataResponse, SearchRecordsQuery } from './organization-records.dto.js';
import { OrganizationRecordsService } from './organization-records.service.js';

/** Shows super admins single records of an organization. Only what imports need is listed, and the players audited. */
@ApiTags('Organizations')
@Controller('organizations/:organizationId')
@AdminRoute('superAdmin')
@ApiErrors('organizationNotFound')
export class OrganizationRecordsController {
  constructor(private readonly records: OrganizationRecordsService) {}

  @Get('records')
  @ApiOperation({
    summary: "Search an organization's records",
    description:
      'Finds teams, players and schedules by ID, external ID, or, if no ID matches, the beginning of their name; players also by that of another word of the name, or of the email. The audit log records each player in the response. Deleted records are not found.',
  })
  @Returns(FoundRecordsDataResponse, 'The records that match.')
  async searchOrganizationRecords(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @Query() { search }: SearchRecordsQuery,
  ) {
    return { data: await this.records.search(context, organizationId, search) };
  }

  @Get('record-counts')
  @ApiOperation({
    summary: "Count an organization's records",
    description: 'Counts the teams, players and schedules that are not deleted.',
  })
  @Returns(RecordCountsDataResponse, 'The numbers of records.')
  async countOrganizationRecords(@Context() context: AdminContext, @OrganizationId() organizationId: string) {
    return { data: await this.records.count(context, organizationId) };
  }
}
