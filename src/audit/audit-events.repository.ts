import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { insertRecord } from '../database/operations.js';
import { type ListOrder, type PageStart, readRecords, type RecordPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { type AuditAction, auditEventModel, type AuditEventRecord } from './audit-event.schema.js';

/** Which events are read; without filters, all. */
export interface EventsFilter {
  readonly organizationId?: string;
  readonly action?: AuditAction;
  /** The user who acted. */
  readonly actorId?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

const newestFirst: ListOrder = { by: 'at', direction: -1, idDirection: -1 };

const publicFields = {
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

/** Writes and reads audit events. It has no method that changes or deletes one. */
@Injectable()
export class AuditEventsRepository {
  constructor(@InjectModel(auditEventModel) private readonly model: Model<AuditEventRecord>) {}

  insert(event: AuditEventRecord, session?: Session): Promise<void> {
    return insertRecord(this.model, event, session);
  }

  /** Returns a page of the events that match, newest first. */
  findNewest(
    { organizationId, action, actorId, from, to }: EventsFilter,
    start: PageStart,
  ): Promise<RecordPage<AuditEventRecord>> {
    const filter = {
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(action !== undefined && { action }),
      ...(actorId !== undefined && { 'actor._id': toRecordId(actorId) }),
      ...((from ?? to) && { at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    };
    return readRecords(this.model, filter, publicFields, { ...start, order: newestFirst });
  }
}
