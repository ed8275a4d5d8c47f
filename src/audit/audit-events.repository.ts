import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { insertRecord } from '../database/insert-record.js';
import type { Session } from '../database/transaction.js';
import { auditEventModel, type AuditEventRecord } from './audit-event.schema.js';

/** The audit's entries: they are written and read, and there is no way to change one. */
@Injectable()
export class AuditEventsRepository {
  constructor(@InjectModel(auditEventModel) private readonly model: Model<AuditEventRecord>) {}

  insert(event: AuditEventRecord, session?: Session): Promise<void> {
    return insertRecord(this.model, event, session);
  }
}
