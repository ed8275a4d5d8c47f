import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { toRecordId } from '../../database/record.js';
import { SlotRepository } from '../../database/slot.repository.js';
import type { Session } from '../../database/transaction.js';
import { CalendarLink, CalendarLinkRecord } from './calendar-link.schema.js';

const slots = Array.from({ length: 20 }, (_none, slot) => slot);
const fields = fieldNamesOf(CalendarLink);

/** The calendar links of teams, at most 20 of each. */
@Injectable()
export class CalendarLinksRepository extends SlotRepository<CalendarLinkRecord> {
  constructor(@InjectModel(CalendarLinkRecord.name) model: Model<CalendarLinkRecord>) {
    super(model);
  }

  async findOfTeam(tenant: Tenant, teamId: string): Promise<CalendarLink[]> {
    const links = await this.find(tenant, { teamId: toRecordId(teamId) }, fields, { slot: 1 });
    return links.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  findOfTeamById(tenant: Tenant, teamId: string, id: string, session: Session): Promise<CalendarLink | null> {
    return this.findOne(tenant, { _id: toRecordId(id), teamId: toRecordId(teamId) }, fields, { session });
  }

  findByTokenHash(tenant: Tenant, tokenHash: string): Promise<CalendarLink | null> {
    return this.findOne(tenant, { tokenHash }, fields);
  }

  protected slotsFor({ teamId }: Pick<CalendarLinkRecord, 'teamId'>) {
    // Requests at the same time begin with different slots, because each attempt is a transaction.
    const first = randomInt(slots.length);
    return { slots: [...slots.slice(first), ...slots.slice(0, first)], sharedWith: { teamId } };
  }
}
