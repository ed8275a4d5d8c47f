import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto, PageQuery } from '../../http/paging.js';
import { CreateDto, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { ChoiceField, DateField, NumberField, RecordIdField } from '../../validation/fields.js';
import { UserNameResponse } from '../users/user.dto.js';
import { ApiKey, type ListedKey } from './api-key.schema.js';

export class CreateApiKey extends CreateDto(ApiKey, { omit: ['keyPrefix', 'lastUsedAt', 'rotatedAt'] }) {}

export class UpdateApiKey extends UpdateDto(ApiKey, {
  omit: ['organizationId', 'keyPrefix', 'lastUsedAt', 'rotatedAt'],
}) {}

export class RotateApiKey {
  @NumberField({
    description: 'How long the old secret keeps working, in seconds. With `0` it stops working immediately.',
    minimum: 0,
    maximum: 7 * 86_400,
    integer: true,
    example: 86_400,
    default: 0,
  })
  graceSeconds!: number;
}

const statuses = ['active', 'expired', 'revoked'] as const;

export class ListApiKeysQuery extends PageQuery {
  @RecordIdField({ description: 'Only keys of this organization.' })
  organizationId?: string;

  @ChoiceField({ description: 'Only keys with this status.', enumName: 'ApiKeyStatus', choices: statuses })
  status?: (typeof statuses)[number];

  @DateField({ description: 'Only keys that expire before this time, including expired ones.', query: true })
  expiresBefore?: Date;

  @DateField({ description: 'Only keys that were neither used nor created at or after this time.', query: true })
  unusedSince?: Date;
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
      'True if the organization or its creator is disabled: the key does not work, whatever its status. Omitted otherwise.',
    example: true,
  })
  organizationDisabled?: boolean | undefined;

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
}

/** A new or rotated API key, the only response with a secret. */
export class ApiKeyWithSecretResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The complete key. It is returned only once.',
    example: 'ffk_live_<12 characters><32 characters><6 characters>',
  })
  apiKey!: string;
}

export class ApiKeyListResponse extends PageDto(ApiKeyResponse, {
  data: 'The keys on this page, in order of creation, including revoked ones.',
  total: 'The number of keys that match.',
}) {}

const toJson = jsonMapper(ApiKey);

/** Returns when the previous secret of a key stops working, or undefined if only the current one works. */
export function graceEndOf({ previous }: Pick<ListedKey, 'previous'>, now: Date): string | undefined {
  return previous && previous.expiresAt > now ? previous.expiresAt.toISOString() : undefined;
}

export function toApiKeyResponse(
  key: ListedKey,
  names: ReadonlyMap<string, UserNameResponse>,
  disabled: ReadonlySet<string>,
  { now, testKeyPrefix }: { readonly now: Date; readonly testKeyPrefix: string },
): ApiKeyResponse {
  const isExpired = key.expiresAt !== undefined && key.expiresAt <= now;
  return {
    id: String(key._id),
    ...toJson(key),
    status: key.status === 'active' && isExpired ? 'expired' : key.status,
    isSandbox: key.keyPrefix.startsWith(testKeyPrefix),
    organizationDisabled: disabled.has(String(key.organizationId)) ? true : undefined,
    createdBy: names.get(String(key.createdBy)),
    lastRotatedBy: names.get(String(key.lastRotatedBy)),
    previousSecretExpiresAt: graceEndOf(key, now),
  };
}
