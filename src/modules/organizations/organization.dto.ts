import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DataDto, PageDto, PageQuery } from '../../http/paging.js';
import { RevisionProperty, revisionOf } from '../../database/record.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { BooleanField, NestedField, TextField } from '../../validation/fields.js';
import { RecordIdParam } from '../../validation/ids.js';
import { isDisabled } from '../users/user.rules.js';
import { CreateUser, PasswordResetProperty, PasswordResetResponse, UserNameResponse } from '../users/user.dto.js';
import { ErasureProgress, Organization, type OrganizationRecord } from './organization.schema.js';

export const OrganizationId = () =>
  RecordIdParam('organizationId', "The organization's ID.", '6650f1f77bcf86cd79943911', {
    unknown: 'organizationNotFound',
  });

export const OrganizationNameProperty = () =>
  ApiPropertyOptional({
    type: String,
    description: 'The name of the organization. Omitted if it has been erased.',
    example: 'Bay Area Flag Football',
  });

/** What the lists of all organizations say of the owner of a record. */
export class OwnerName {
  @OrganizationNameProperty()
  organizationName?: string | undefined;

  @ApiPropertyOptional({
    type: Boolean,
    description: '`true` if the organization is a sandbox; otherwise omitted.',
    example: true,
  })
  isSandbox?: boolean | undefined;
}

export class CreateOrganization extends CreateDto(Organization, { omit: ['disabledAt', 'erasingSince'] }) {
  @NestedField({
    type: CreateUser,
    description: "The organization's creator. The organization's API keys act in the creator's name.",
    required: true,
  })
  creator!: CreateUser;
}

export class UpdateOrganization extends UpdateDto(Organization, {
  omit: ['disabledAt', 'erasingSince', 'isSandbox'],
}) {
  @BooleanField({
    description:
      '`true` disables the organization: its API keys stop working, and its creator and admins cannot log in or use a token. `false` enables it again.',
    example: true,
  })
  disabled?: boolean;
}

export class EraseOrganization {
  @TextField({
    description: 'The name of the organization, which confirms the erasure.',
    max: 120,
    example: 'Bay Area Flag Football',
    required: true,
  })
  name!: string;
}

export class OrganizationResponse extends ResponseDto(Organization) {
  @ApiProperty({ type: UserNameResponse, required: false, description: "The organization's creator." })
  creator?: UserNameResponse | undefined;

  @ApiProperty({
    description:
      'Whether the organization is disabled. The API keys of a disabled organization do not work, and its creator and admins cannot log in.',
    example: false,
  })
  disabled!: boolean;

  @ApiPropertyOptional({ type: ErasureProgress, description: 'How much is erased, while it runs.' })
  erasure?: ErasureProgress | undefined;

  @RevisionProperty()
  revision!: number;
}

export class NewOrganizationResponse extends OrganizationResponse {
  @PasswordResetProperty()
  passwordReset?: PasswordResetResponse | undefined;
}

export class OrganizationDataResponse extends DataDto(OrganizationResponse, 'The organization.') {}

export class ListOrganizationsQuery extends PageQuery {
  @TextField({ description: 'Only organizations whose name contains this text, ignoring case.', max: 120 })
  search?: string;
}

export class OrganizationListResponse extends PageDto(OrganizationResponse, {
  data: 'The organizations on this page, in order of creation.',
  total: 'The number of organizations that match.',
}) {}

const toJson = jsonMapper(Organization);

export function toOrganizationResponse(
  organization: OrganizationRecord,
  creator: UserNameResponse | undefined,
): OrganizationResponse {
  const { erasure } = organization;
  const state = { disabled: isDisabled(organization), erasure, revision: revisionOf(organization) };
  return { ...toJson(organization), creator, ...state };
}
