import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { type ListOrder, type PageStart, readPageWithoutTotal, type StoredPage } from '../../database/list-queries.js';
import { inserting } from '../../database/plugins/operation-options.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { ListAuditEventsQuery } from './audit-event.dto.js';
import { AuditEventRecord } from './audit-event.schema.js';

const newestFirst: ListOrder = { by: 'at', direction: -1, idDirection: -1 };

/** Inserts and reads audit events. It deliberately has no method to change or delete one. */
@Injectable()
export class AuditEventsRepository {
  constructor(@InjectModel(AuditEventRecord.name) private readonly model: Model<AuditEventRecord>) {}

  async insert(event: AuditEventRecord, session?: Session): Promise<void> {
    await this.model.insertMany([event], inserting(session));
  }

  /** Returns a page of the events that match, newest first. `from` is inclusive, `to` exclusive. */
  findNewest(
    { organizationId, action, actorId, targetId, from, to }: Omit<ListAuditEventsQuery, 'cursor' | 'limit'>,
    start: PageStart,
  ): Promise<Omit<StoredPage<AuditEventRecord>, 'total'>> {
    const filter = {
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(action !== undefined && { action }),
      ...(actorId !== undefined && { 'actor._id': toRecordId(actorId) }),
      ...(targetId !== undefined && { 'target._id': toRecordId(targetId) }),
      ...((from ?? to) && { at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    };
    return readPageWithoutTotal(this.model, filter, {}, { ...start, order: newestFirst, allTenants: true });
  }
}
