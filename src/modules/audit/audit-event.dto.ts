import { ApiProperty } from '@nestjs/swagger';
import { CursorField, LimitField, NextCursorProperty } from '../../common/http/paging.js';
import { ChoiceField, DateField, RecordIdField } from '../../common/validation/fields.js';
import { type AuditAction, auditActions, AuditEventRecord } from './audit-event.schema.js';

/** Query of `GET /audit-events`. */
export class ListAuditEventsQuery {
  @RecordIdField({
    description: 'Only events of this organization.',
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: string;

  @ChoiceField({ description: 'Only events with this action.', choices: auditActions, example: 'login' })
  action?: AuditAction;

  @RecordIdField({ description: 'Only actions of this user.', example: '6650f1f77bcf86cd79943901' })
  actorId?: string;

  @DateField({ description: 'Only events at or after this time.', example: '2027-05-01T00:00:00Z', query: true })
  from?: Date;

  @DateField({ description: 'Only events before this time.', example: '2027-05-02T00:00:00Z', query: true })
  to?: Date;

  @CursorField()
  cursor?: string;

  @LimitField('The number of events per page.')
  limit!: number;
}

/** A page of audit events. */
export class AuditEventListResponse {
  @ApiProperty({ type: [AuditEventRecord], description: 'The events on this page, newest first.' })
  data!: AuditEventRecord[];

  @NextCursorProperty()
  nextCursor?: string;
}
