import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MessageResponse, PageDto } from '../../http/paging.js';
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

  @ApiProperty({ ...storedList, description: 'The changes of the last 90 days.' })
  history!: object[];

  @ApiProperty({ ...storedList, description: 'The deliveries of webhooks.' })
  deliveries!: object[];

  @ApiProperty({ ...storedList, description: 'The audit events.' })
  auditEvents!: object[];
}

/** A text of a record that contains a name; without the text, so that responses and logs of clients do not have it. */
export class Mention {
  @ApiProperty({ enum: ['schedule', 'team'], enumName: 'MentionKind', description: 'The kind of the record.' })
  kind!: string;

  @ApiProperty({ description: 'The ID of the record, which can be deleted.', example: '6650f1f77bcf86cd79943961' })
  id!: string;

  @ApiProperty({ description: 'The field with the text.', example: 'practiceNote' })
  field!: string;
}

export class Mentions extends PageDto(Mention, { data: 'At most 20 of the texts.', total: 'The number of texts.' }) {}

export class ErasedPlayerResponse extends MessageResponse {
  @ApiPropertyOptional({
    type: Mentions,
    description:
      'Texts of teams and schedules that still contain the name. Omitted if the name was already erased, or if the search took too long.',
  })
  mentions?: Mentions | undefined;
}
