import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { insertRecord } from '../database/insert-record.js';
import { type ListOrder, type PageStart, readRecords, type RecordPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { auditEventModel, type AuditEventRecord } from './audit-event.schema.js';

/** Which events are read: of one organization or of all. */
export interface EventsFilter {
  readonly organizationId?: string;
}

const newestFirst: ListOrder = { by: 'at', direction: -1, idDirection: -1 };

const shown = {
  _id: 1,
  at: 1,
  action: 1,
  outcome: 1,
  error: 1,
  actor: 1,
  organizationId: 1,
  target: 1,
  changes: 1,
  address: 1,
  requestId: 1,
} as const satisfies Record<keyof AuditEventRecord, 1>;

/** The audit's entries: they are written and read, and there is no way to change one. */
@Injectable()
export class AuditEventsRepository {
  constructor(@InjectModel(auditEventModel) private readonly model: Model<AuditEventRecord>) {}

  insert(event: AuditEventRecord, session?: Session): Promise<void> {
    return insertRecord(this.model, event, session);
  }

  /** A page of the events that match, newest first. */
  findNewest({ organizationId }: EventsFilter, start: PageStart): Promise<RecordPage<AuditEventRecord>> {
    const filter = { ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }) };
    return readRecords(this.model, filter, shown, { ...start, order: newestFirst });
  }
}
