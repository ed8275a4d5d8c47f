import { ApiProperty } from '@nestjs/swagger';
import { CursorField, LimitField, NextCursorProperty } from '../../common/http/paging.js';
import { ChoiceField, DateField, RecordIdField } from '../../common/validation/fields.js';
import { type AuditAction, auditActions, AuditEventRecord } from './audit-event.schema.js';

/** Query of `GET /audit-events`. Filters combine. */
export class ListAuditEventsQuery {
  @RecordIdField({
    description: 'Only those on this organization. Left out: all.',
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: string;

  @ChoiceField({ description: 'Only those with this action. Left out: all.', choices: auditActions, example: 'login' })
  action?: AuditAction;

  @RecordIdField({ description: 'Only what this user did. Left out: everything.', example: '6650f1f77bcf86cd79943901' })
  actorId?: string;

  @DateField({ description: 'Only those at this time or later.', example: '2027-05-01T00:00:00Z', query: true })
  from?: Date;

  @DateField({ description: 'Only those before this time.', example: '2027-05-02T00:00:00Z', query: true })
  to?: Date;

  @CursorField()
  cursor?: string;

  @LimitField('How many events a page has.')
  limit!: number;
}

/** A page of events. */
export class AuditEventListResponse {
  @ApiProperty({ type: [AuditEventRecord], description: 'The page, newest first.' })
  data!: AuditEventRecord[];

  @NextCursorProperty()
  nextCursor?: string;
}
