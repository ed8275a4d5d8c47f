import { IntersectionType } from '@nestjs/swagger';
import { CursorDto, CursorField, defaultLimit, LimitField } from '../../http/paging.js';
import { ChoiceField, DateField, RecordIdField } from '../../validation/fields.js';
import { OwnerName } from '../organizations/organization.dto.js';
import { type AuditAction, auditActions, AuditEventRecord } from './audit-event.schema.js';

export class ListAuditEventsQuery {
  @RecordIdField({ description: 'Only events of this organization.' })
  organizationId?: string;

  @ChoiceField({ description: 'Only events with this action.', enumName: 'AuditAction', choices: auditActions })
  action?: AuditAction;

  @RecordIdField({ description: 'Only actions of this user or API key.' })
  actorId?: string;

  @RecordIdField({ description: 'Only events about this record.' })
  targetId?: string;

  @DateField({ description: 'Only events at or after this time.', query: true })
  from?: Date;

  @DateField({ description: 'Only events before this time.', query: true })
  to?: Date;

  @CursorField()
  cursor?: string;

  @LimitField('The number of events per page.')
  limit = defaultLimit;
}

/** An event as stored, with the present name of its organization. */
class AuditEventResponse extends IntersectionType(AuditEventRecord, OwnerName) {}

export class AuditEventListResponse extends CursorDto(AuditEventResponse, 'The events on this page, newest first.') {}
