import { ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { type ApiKeyScope, apiKeyScopes } from '../../access/public-api.js';
import { DataDto } from '../../http/paging.js';
import { OrganizationResponse } from '../organizations/organization.dto.js';
import { ApiKeyResponse } from './api-key.dto.js';

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
