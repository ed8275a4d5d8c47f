import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { insertRecord } from '../database/insert-record.js';
import { queryTimeLimit } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { auditEventModel, type AuditEventRecord } from './audit-event.schema.js';
import type { EventPosition } from './event-cursor.js';

/** Which events are read: of one organization or of all, from the newest or from behind a position. */
export interface EventsFilter {
  readonly organizationId?: string | undefined;
  readonly behind?: EventPosition | undefined;
}

const newestFirst = { at: -1, _id: -1 } as const;

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

  /** At most so many events that match, newest first. */
  findNewest({ organizationId, behind }: EventsFilter, limit: number): Promise<AuditEventRecord[]> {
    const filter = {
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(behind && { $or: [{ at: { $lt: behind.at } }, { at: behind.at, _id: { $lt: toRecordId(behind.id) } }] }),
    };
    const query = this.model.find(filter, shown).sort(newestFirst).limit(limit);
    return query.maxTimeMS(queryTimeLimit).lean<AuditEventRecord[]>().exec();
  }
}
