import { Injectable } from '@nestjs/common';
import { toAuditEventResponse } from './audit-event.mapper.js';
import type { AuditEventListResponse } from './audit-event.response.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { toCursor } from './event-cursor.js';
import type { ListAuditEventsQuery } from './dto/list-audit-events.query.js';

/** Reads what `AuditTrail` keeps. */
@Injectable()
export class AuditEventsService {
  constructor(private readonly events: AuditEventsRepository) {}

  /**
   * A page of events, newest first. Pages follow each other by the last event's place, not by a number: what is written
   * meanwhile neither repeats an event nor leaves one out.
   */
  async list({ organizationId, cursor, limit }: ListAuditEventsQuery): Promise<AuditEventListResponse> {
    // One more than asked for, to know whether there is a next page.
    const found = await this.events.findNewest({ organizationId, behind: cursor }, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map(toAuditEventResponse),
      ...(last && { nextCursor: toCursor({ at: last.at, id: String(last._id) }) }),
    };
  }
}
