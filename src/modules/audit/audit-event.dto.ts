import { ApiProperty } from '@nestjs/swagger';
import { CursorField, LimitField, NextCursorProperty } from '../../http/paging.js';
import { ChoiceField, DateField, RecordIdField } from '../../validation/fields.js';
import { type AuditAction, auditActions, AuditEventRecord } from './audit-event.schema.js';

export class ListAuditEventsQuery {
  @RecordIdField({ description: 'Only events of this organization.' })
  organizationId?: string;

  @ChoiceField({ description: 'Only events with this action.', enumName: 'AuditAction', choices: auditActions })
  action?: AuditAction;

  @RecordIdField({ description: 'Only actions of this user or API key.' })
  actorId?: string;

  @DateField({ description: 'Only events at or after this time.', query: true })
  from?: Date;

  @DateField({ description: 'Only events before this time.', query: true })
  to?: Date;

  @CursorField()
  cursor?: string;

  @LimitField('The number of events per page.')
  limit!: number;
}

export class AuditEventListResponse {
  @ApiProperty({ type: [AuditEventRecord], description: 'The events on this page, newest first.' })
  data!: AuditEventRecord[];

  @NextCursorProperty()
  nextCursor?: string;
}
