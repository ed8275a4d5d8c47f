import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { CursorPage } from '../database/cursor-page.js';
import { toAuditEventResponse } from './audit-event.mapper.js';
import type { AuditEventListResponse } from './audit-event.response.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import type { ListAuditEventsQuery } from './dto/list-audit-events.query.js';

/** Reads what `AuditTrail` keeps. */
@Injectable()
export class AuditEventsService {
  constructor(
    private readonly events: AuditEventsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * A page of events, newest first. Pages follow each other by the last event's place, not by a number: what is written
   * meanwhile neither repeats an event nor leaves one out.
   * @throws ServiceError 40001 for a cursor that is not of this list
   */
  async list(query: ListAuditEventsQuery): Promise<AuditEventListResponse> {
    const page = new CursorPage(undefined, query, '/audit-events', this.clock.now());
    const { data, end } = await this.events.findNewest(query, page.start);
    return { data: data.map(toAuditEventResponse), ...page.next(end) };
  }
}
