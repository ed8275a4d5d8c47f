import { ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { type ApiKeyScope, apiKeyScopes } from '../../access/public-api.js';
import { DataDto, PageDto, PageQuery } from '../../http/paging.js';
import { RevisionProperty, revisionOf } from '../../database/record.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import {
  BooleanField,
  ChoiceField,
  DateField,
  NumberField,
  RecordIdField,
  TextField,
} from '../../validation/fields.js';
import { OrganizationNameProperty, OrganizationResponse, type OwnerName } from '../organizations/organization.dto.js';
import { UserNameResponse } from '../users/user.dto.js';
import { ApiKey, type ListedKey } from './api-key.schema.js';

const setByServer = ['keyPrefix', 'lastUsedAt', 'lastUsedFrom', 'previousSecretUsedAt', 'rotatedAt'] as const;

export class CreateApiKey extends CreateDto(ApiKey, { omit: setByServer }) {}

export class UpdateApiKey extends UpdateDto(ApiKey, { omit: ['organizationId', ...setByServer] }) {}

export class RotateApiKey {
  @NumberField({
    description: 'How long the previous secret keeps working, in seconds. With `0` it stops working immediately.',
    minimum: 0,
    maximum: 7 * 86_400,
    integer: true,
    example: 86_400,
    default: 0,
  })
  graceSeconds = 0;
}

const statuses = ['active', 'expired', 'revoked'] as const;

export class ListApiKeysQuery extends PageQuery {
  @RecordIdField({ description: 'Only keys of this organization.' })
  organizationId?: string;

  @TextField({ description: 'Only keys whose name or prefix contains this text, ignoring case.', max: 120 })
  search?: string;

  @ChoiceField({ description: 'Only keys with this status.', enumName: 'ApiKeyStatus', choices: statuses })
  status?: (typeof statuses)[number];

  @DateField({
    description: 'Only keys that expire before this time, including expired ones; the first to expire come first.',
    query: true,
  })
  expiresBefore?: Date;

  @DateField({ description: 'Only keys created before this time and not used since.', query: true })
  unusedSince?: Date;

  @BooleanField({
    description: '`false`: only keys of organizations that are enabled, and whose creator is. `true`: only other keys.',
    query: true,
  })
  organizationDisabled?: boolean;
}

/** An API key in responses, without its secret. */
export class ApiKeyResponse extends ResponseDto(ApiKey) {
  @ApiProperty({ description: "The key's ID.", example: '6650f1f77bcf86cd79943921' })
  id!: string;

  @ApiProperty({
    description: "The key's status. Only an `active` key works, and only while its organization is enabled.",
    enum: statuses,
    enumName: 'ApiKeyStatus',
    example: 'active',
  })
  status!: (typeof statuses)[number];

  @ApiProperty({ description: 'Whether the key belongs to a sandbox.', example: false })
  isSandbox!: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'True if the organization or its creator is disabled: the key does not work, even if its status is `active`. Omitted otherwise.',
    example: true,
  })
  organizationDisabled?: boolean | undefined;

  @OrganizationNameProperty()
  organizationName?: string | undefined;

  @ApiPropertyOptional({ type: UserNameResponse, description: 'The super admin who created the key.' })
  createdBy?: UserNameResponse | undefined;

  @ApiPropertyOptional({ type: UserNameResponse, description: 'The super admin who last rotated the key.' })
  lastRotatedBy?: UserNameResponse | undefined;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description:
      'When the secret from before the last rotation stops working. Omitted if only the current secret works.',
    example: '2027-04-02T09:00:00.000Z',
  })
  previousSecretExpiresAt?: string | undefined;

  @RevisionProperty()
  revision!: number;
}

export class ApiKeyDataResponse extends DataDto(ApiKeyResponse, 'The key.') {}

/** A new or rotated API key, the only response with a secret. */
export class ApiKeyWithSecretResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The complete key. It is returned only once.',
    example: 'ffk_live_<12 characters><32 characters><6 characters>',
  })
  apiKey!: string;
}

export class ApiKeyListResponse extends PageDto(ApiKeyResponse, {
  data: 'The keys on this page, in order of creation or, with `expiresBefore`, of expiry, including revoked ones.',
  total: 'The number of keys that match.',
}) {}

@ApiSchema({ name: 'OwnOrganizationResponse' })
class OwnOrganization extends PickType(OrganizationResponse, ['_id', 'name', 'isSandbox']) {}

@ApiSchema({ name: 'OwnKeyPermissionsResponse' })
class OwnKeyPermissions extends PickType(ApiKeyResponse, ['name', 'keyPrefix', 'expiresAt']) {
  @ApiProperty({
    description: 'The scopes of the key; all of them if it allows everything.',
    enum: apiKeyScopes,
    enumName: 'ApiKeyScope',
    isArray: true,
  })
  scopes!: readonly ApiKeyScope[];

  @ApiProperty({
    type: [String],
    description: 'The addresses and networks that may use the key; `0.0.0.0/0` and `::/0` if every address may.',
    example: ['203.0.113.7'],
  })
  allowedAddresses!: readonly string[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the previous secret of the key stops working. Omitted if only the current one works.',
    example: '2027-04-02T09:00:00.000Z',
  })
  previousSecretExpiresAt?: string | undefined;
}

@ApiSchema({ name: 'OwnLimitsResponse' })
class OwnLimits {
  @ApiProperty({ type: 'integer', description: 'The requests per minute of each group of routes.', example: 100 })
  perMinute!: number;
}

/** What an API key can do. */
export class OwnKeyResponse {
  @ApiProperty({ description: 'The organization that the key belongs to.' })
  organization!: OwnOrganization;

  @ApiProperty({ description: 'The key.' })
  key!: OwnKeyPermissions;

  @ApiProperty({ description: 'The rate limits of the key.' })
  limits!: OwnLimits;

  @ApiProperty({ format: 'date-time', description: "The server's time.", example: '2027-05-01T10:00:00.000Z' })
  serverTime!: string;

  @ApiProperty({ description: 'The release that the server runs.', example: '1.1.0' })
  version!: string;
}

export class OwnKeyDataResponse extends DataDto(OwnKeyResponse, 'What the key can do.') {}

const toJson = jsonMapper(ApiKey);

/** Returns when the previous secret of a key stops working, or undefined if only the current one works. */
export function graceEndOf({ previous }: Pick<ListedKey, 'previous'>, now: Date): string | undefined {
  return previous && previous.expiresAt > now ? previous.expiresAt.toISOString() : undefined;
}

/**
 * @param users the creators of keys, and those who rotated them, by ID
 * @param disabled the IDs of the organizations that are out of service
 */
export function toApiKeyResponse(
  key: ListedKey & OwnerName,
  users: ReadonlyMap<string, UserNameResponse>,
  disabled: ReadonlySet<string>,
  now: Date,
): ApiKeyResponse {
  const { previousSecretUsedAt, ...fields } = toJson(key);
  const previousSecretExpiresAt = graceEndOf(key, now);
  // A use from before the last rotation is that of another secret.
  const isUsed = previousSecretExpiresAt !== undefined && (key.previousSecretUsedAt ?? 0) > (key.rotatedAt ?? 0);
  const isExpired = key.expiresAt !== undefined && key.expiresAt <= now;
  return {
    id: String(key._id),
    ...fields,
    status: key.status === 'active' && isExpired ? 'expired' : key.status,
    revision: revisionOf(key),
    isSandbox: key.isSandbox === true,
    organizationName: key.organizationName,
    organizationDisabled: disabled.has(String(key.organizationId)) ? true : undefined,
    createdBy: users.get(String(key.createdBy)),
    lastRotatedBy: users.get(String(key.lastRotatedBy)),
    previousSecretExpiresAt,
    ...(isUsed && previousSecretUsedAt !== undefined && { previousSecretUsedAt }),
  };
}
