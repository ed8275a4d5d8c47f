import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Tenant } from '../access/request-context.js';

const types = ['key', 'admin', 'system'] as const;

/** Who made the latest change of a record, without personal data. */
export class ChangedBy {
  @ApiProperty({
    description: '`key`: an API key. `admin`: an admin. `system`: the server itself.',
    enum: types,
    enumName: 'ChangedByType',
    example: 'key',
  })
  type!: (typeof types)[number];

  @ApiPropertyOptional({ description: 'The name of the key at the time of the change.', example: 'Registration' })
  name?: string;

  @ApiPropertyOptional({
    description: 'The first part of the key, which identifies it.',
    example: 'ffk_live_4fK2mZ81pQxT',
  })
  keyPrefix?: string;
}

/** Returns who changes a record as this tenant or actor. */
export function changedByOf({ apiKey, user }: Omit<Tenant, 'organization'>): ChangedBy {
  if (apiKey === undefined) return { type: user === undefined ? 'system' : 'admin' };
  return { type: 'key', name: apiKey.name, keyPrefix: apiKey.keyPrefix };
}
