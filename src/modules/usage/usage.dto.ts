import { ApiProperty, ApiPropertyOptional, OmitType, PickType } from '@nestjs/swagger';
import { PageDto } from '../../http/paging.js';
import { ResponseDto } from '../../validation/dto.js';
import { NumberField } from '../../validation/fields.js';
import { OrganizationResponse } from '../organizations/organization.dto.js';
import { HourUsage } from './request-count.schema.js';

const upTo = (maximum: number) => ({ minimum: 1, maximum, query: true });

export class UsageQuery {
  @NumberField({ description: 'The number of hours, including the current one.', ...upTo(168), default: 24 })
  hours!: number;
}

export class ListUsageQuery extends UsageQuery {
  @NumberField({ description: 'The maximum number of organizations.', ...upTo(100), default: 10 })
  limit!: number;
}

export class HourUsageResponse extends ResponseDto(HourUsage) {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      'The number of error responses by service code, such as `40306` for a refused address. Omitted if there are none.',
    example: { 40305: 8, 42901: 4 },
  })
  errorsByCode?: Record<string, number> | undefined;
}

const hours = { description: 'One entry for each hour, oldest first.' };

export class HourlyUsageResponse {
  @ApiProperty({ type: [HourUsageResponse], ...hours })
  data!: HourUsageResponse[];
}

class OrganizationNameResponse extends PickType(OrganizationResponse, ['_id', 'name']) {}

export class OrganizationUsageResponse extends OmitType(HourUsageResponse, ['hour', 'errorsByCode']) {
  @ApiProperty({ description: 'The organization.' })
  organization!: OrganizationNameResponse;

  @ApiProperty({ type: [HourUsageResponse], ...hours })
  hours!: HourUsageResponse[];
}

export class UsageListResponse extends PageDto(OrganizationUsageResponse, {
  data: 'The organizations with the most requests, in descending order.',
  total: 'The number of organizations with requests in that time.',
}) {}
