import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type ApiKeyScope, apiKeyScopes } from '../../access/public-api.js';
import { DataDto } from '../../http/paging.js';

const time = { type: String, format: 'date-time', example: '2028-01-01T00:00:00.000Z' };

@ApiSchema({ name: 'KeyOrganizationResponse' })
class KeyOrganization {
  @ApiProperty({ description: 'The ID of the organization.', example: '6650f1f77bcf86cd79943911' })
  readonly _id!: string;

  @ApiProperty({ description: 'The name of the organization.', example: 'Bay Area Flag Football' })
  readonly name!: string;

  @ApiProperty({ description: 'Whether the organization is a sandbox, in which you can test.', example: false })
  readonly isSandbox!: boolean;
}

@ApiSchema({ name: 'KeyPermissionsResponse' })
class KeyPermissions {
  @ApiProperty({ description: 'The name of the key.', example: 'Registration platform' })
  readonly name!: string;

  @ApiProperty({ description: 'The start of the key.', example: 'ffk_live_4fK2mZ81pQxT' })
  readonly keyPrefix!: string;

  @ApiProperty({
    description: 'The scopes of the key; all of them if it allows everything.',
    enum: apiKeyScopes,
    enumName: 'ApiKeyScope',
    isArray: true,
  })
  readonly scopes!: readonly ApiKeyScope[];

  @ApiProperty({
    type: [String],
    description: 'The addresses and networks that may use the key; `0.0.0.0/0` and `::/0` if every address may.',
    example: ['203.0.113.7'],
  })
  readonly allowedAddresses!: readonly string[];

  @ApiPropertyOptional({ ...time, description: 'When the key expires. Omitted if it does not expire.' })
  readonly expiresAt?: string;

  @ApiPropertyOptional({
    ...time,
    description: 'When the secret from before the last rotation stops working. Omitted if only the current one works.',
  })
  readonly previousSecretExpiresAt?: string;
}

@ApiSchema({ name: 'KeyLimitsResponse' })
class KeyLimits {
  @ApiProperty({ type: 'integer', description: 'The requests per minute of each group of routes.', example: 100 })
  readonly perMinute!: number;
}

/** What an API key can do. */
export class OwnKeyResponse {
  @ApiProperty({ description: 'The organization that the key belongs to.' })
  readonly organization!: KeyOrganization;

  @ApiProperty({ description: 'The key.' })
  readonly key!: KeyPermissions;

  @ApiProperty({ description: 'The rate limits of the key.' })
  readonly limits!: KeyLimits;

  @ApiProperty({ ...time, description: "The server's time, to compare with your clock." })
  readonly serverTime!: string;

  @ApiProperty({ description: 'The release that the server runs.', example: '1.1.0' })
  readonly version!: string;
}

export class OwnKeyDataResponse extends DataDto(OwnKeyResponse, 'What the key can do.') {}
