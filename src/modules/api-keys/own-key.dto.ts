import { ApiProperty, ApiSchema, PickType } from '@nestjs/swagger';
import { type ApiKeyScope, apiKeyScopes } from '../../access/public-api.js';
import { DataDto } from '../../http/paging.js';
import { OrganizationResponse } from '../organizations/organization.dto.js';
import { ApiKeyResponse } from './api-key.dto.js';

@ApiSchema({ name: 'OwnOrganizationResponse' })
class OwnOrganization extends PickType(OrganizationResponse, ['_id', 'name', 'isSandbox']) {}

const pickedFields = ['name', 'keyPrefix', 'expiresAt', 'previousSecretExpiresAt'] as const;

@ApiSchema({ name: 'OwnKeyPermissionsResponse' })
class OwnKeyPermissions extends PickType(ApiKeyResponse, pickedFields) {
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
