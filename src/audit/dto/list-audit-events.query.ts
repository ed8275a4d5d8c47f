import { ApiProperty } from '@nestjs/swagger';
import { CursorField } from '../../common/http/paging.js';
import { QueryIntegerField, RecordIdField } from '../../common/validation/fields.js';

/** Which events are listed. */
export class ListAuditEventsQuery {
  @RecordIdField({
    description: 'Only those on this organization. Left out: all.',
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: string;

  @CursorField()
  cursor?: string;

  @QueryIntegerField({ description: 'How many events a page has.', minimum: 1, maximum: 100, example: 20 })
  @ApiProperty({ default: 20 })
  limit = 20;
}
