import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RecordIdField } from '../../validation/fields.js';

const organization = { description: 'The organization of the player. Required if the record is already erased.' };

export class ExportPlayerQuery {
  @RecordIdField(organization)
  organizationId?: string;
}

export class ErasePlayer {
  @RecordIdField({ ...organization, example: '6650f1f77bcf86cd79943911' })
  organizationId?: string;
}

const stored = { type: 'object', additionalProperties: true, example: {} } as const;
const storedList = { type: 'array', items: { type: 'object', additionalProperties: true }, example: [] } as const;

/** Everything that is stored about a player, as it is stored. */
export class PlayerExport {
  @ApiPropertyOptional({
    ...stored,
    description: 'The player, even if deleted, with the stored response to its creation. Omitted if it is erased.',
  })
  player?: object | undefined;

  @ApiProperty({ ...storedList, description: 'The rows of statistics.' })
  statistics!: object[];

  @ApiPropertyOptional({ ...stored, description: 'The row in the change feed.' })
  change?: object | undefined;

  @ApiProperty({ ...storedList, description: 'The deliveries of webhooks.' })
  deliveries!: object[];

  @ApiProperty({ ...storedList, description: 'The audit events.' })
  auditEvents!: object[];
}
