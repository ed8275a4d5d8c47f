import { ApiProperty } from '@nestjs/swagger';
import { type ApiKeyScope, apiKeyScopes } from '../../common/http/public-api.js';
import { PageDto } from '../../common/http/paging.js';
import { UserNameResponse } from '../users/users.dto.js';
import type { UserName } from '../users/users.service.js';
import type { ListedKey } from './api-keys.repository.js';

const apiKeyStatuses = ['active', 'expired', 'revoked'] as const;
type ApiKeyStatus = (typeof apiKeyStatuses)[number];

const instant = { type: String, format: 'date-time' } as const;

/** A key as admins see one; never its secret or the secret's hash. */
export class ApiKeyResponse {
  @ApiProperty({ description: "The key's id.", example: '6650f1f77bcf86cd79943921' })
  id!: string;

  @ApiProperty({ description: 'What the key is for.', example: 'Registration platform' })
  name!: string;

  @ApiProperty({
    description: 'What the key begins with: enough to recognise it, not to use it.',
    example: 'ffk_live_4fK2mZ81pQxT',
  })
  keyPrefix!: string;

  @ApiProperty({ description: 'The one organization that the key is bound to.', example: '6650f1f77bcf86cd79943911' })
  organizationId!: string;

  @ApiProperty({
    required: false,
    description: 'What the key may do. Left out: everything.',
    type: 'array',
    items: { type: 'string', enum: [...apiKeyScopes] },
    example: ['teams:read', 'players:*'],
  })
  scopes?: ApiKeyScope[];

  @ApiProperty({
    required: false,
    description: 'Where the key may be used from. Left out: from everywhere.',
    type: [String],
    example: ['203.0.113.7', '2001:db8::/32'],
  })
  allowedAddresses?: string[];

  @ApiProperty({ type: UserNameResponse, required: false, description: 'The super admin who made the key.' })
  createdBy?: UserNameResponse;

  @ApiProperty({ description: 'Whether the key works.', enum: apiKeyStatuses, example: 'active' })
  status!: ApiKeyStatus;

  @ApiProperty({ ...instant, description: 'When the key was made.', example: '2027-03-01T09:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({
    ...instant,
    required: false,
    description: 'From when on the key is dead.',
    example: '2028-01-01T00:00:00.000Z',
  })
  expiresAt?: string;

  @ApiProperty({
    ...instant,
    required: false,
    description: 'When the key was last used, to about a minute.',
    example: '2027-05-01T10:00:00.000Z',
  })
  lastUsedAt?: string;

  @ApiProperty({ type: UserNameResponse, required: false, description: 'The super admin who rotated the key last.' })
  lastRotatedBy?: UserNameResponse;

  @ApiProperty({
    ...instant,
    required: false,
    description: 'When the key was rotated last.',
    example: '2027-04-01T09:00:00.000Z',
  })
  rotatedAt?: string;

  @ApiProperty({
    ...instant,
    required: false,
    description:
      'Until when the secret before the last rotation works too, as long as the key does. Left out: only one secret works.',
    example: '2027-04-02T09:00:00.000Z',
  })
  previousSecretExpiresAt?: string;
}

/** A key with its secret: the answer to its creation and to its rotation, and to nothing else. */
export class ApiKeyWithSecretResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The whole key. It is shown in this answer only.',
    example: 'ffk_live_<12 characters><32 characters><6 characters>',
  })
  apiKey!: string;
}

/** A page of an organization's keys. */
export class ApiKeyListResponse extends PageDto(ApiKeyResponse, {
  data: 'The page, in order of creation; revoked keys stay listed.',
  total: 'How many keys the organization has in all.',
}) {}

/** The fields of a key that leave. */
export function toApiKeyResponse(key: ListedKey, names: ReadonlyMap<string, UserName>, now: Date): ApiKeyResponse {
  const createdBy = names.get(String(key.createdBy));
  const lastRotatedBy = names.get(String(key.lastRotatedBy));
  const graceEnd = key.previous?.expiresAt;
  return {
    id: String(key._id),
    name: key.name,
    keyPrefix: key.keyPrefix,
    organizationId: String(key.organizationId),
    ...(key.scopes && { scopes: key.scopes }),
    ...(key.allowedAddresses && { allowedAddresses: key.allowedAddresses }),
    ...(createdBy && { createdBy }),
    status: statusOf(key, now),
    createdAt: key.createdAt.toISOString(),
    ...(key.expiresAt && { expiresAt: key.expiresAt.toISOString() }),
    ...(key.lastUsedAt && { lastUsedAt: key.lastUsedAt.toISOString() }),
    ...(lastRotatedBy && { lastRotatedBy }),
    ...(key.rotatedAt && { rotatedAt: key.rotatedAt.toISOString() }),
    ...(graceEnd && graceEnd > now && { previousSecretExpiresAt: graceEnd.toISOString() }),
  };
}

function statusOf(key: Pick<ListedKey, 'status' | 'expiresAt'>, now: Date): ApiKeyStatus {
  if (key.status === 'revoked') return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active';
}
