import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../../common/http/paging.js';
import { disabledFields } from '../users/account-update.js';
import { UserNameResponse } from '../users/users.dto.js';
import type { UserName } from '../users/users.service.js';
import type { OrganizationRecord } from './organization.schema.js';

/** An organization as admins see one. */
export class OrganizationResponse {
  @ApiProperty({ description: "The organization's id.", example: '6650f1f77bcf86cd79943911' })
  _id!: string;

  @ApiProperty({ description: "The organization's name.", example: 'Bay Area Flag Football' })
  name!: string;

  @ApiProperty({ type: UserNameResponse, required: false, description: "The organization's creator." })
  creator?: UserNameResponse;

  @ApiProperty({
    description: 'True: its keys are dead, and its creator and admins may not log in.',
    example: false,
  })
  disabled!: boolean;

  @ApiProperty({
    description: 'Since when it is disabled; left out while it is not.',
    required: false,
    type: String,
    format: 'date-time',
    example: '2027-05-01T10:00:00.000Z',
  })
  disabledAt?: string;

  @ApiProperty({
    description: 'When it was made.',
    type: String,
    format: 'date-time',
    example: '2027-03-01T09:00:00.000Z',
  })
  createdAt!: string;
}

/** A page of organizations. */
export class OrganizationListResponse extends PageDto(OrganizationResponse, {
  data: 'The page, in order of creation.',
  total: 'How many organizations there are in all.',
}) {}

/** The fields of an organization that leave. */
export function toOrganizationResponse(
  organization: OrganizationRecord,
  creator: UserName | undefined,
): OrganizationResponse {
  return {
    _id: String(organization._id),
    name: organization.name,
    ...(creator !== undefined && { creator }),
    ...disabledFields(organization),
    createdAt: organization.createdAt.toISOString(),
  };
}
