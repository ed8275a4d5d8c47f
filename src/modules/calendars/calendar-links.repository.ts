import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { UniqueIndexViolation } from '../../database/operations.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { CalendarLink, calendarLinkModel, type CalendarLinkRecord } from './calendar-link.schema.js';

const slots = Array.from({ length: 20 }, (_none, slot) => slot);
const fields = fieldNamesOf(CalendarLink);

/** The calendar links of teams, at most 20 of each. */
@Injectable()
export class CalendarLinksRepository extends OrganizationRepository<CalendarLinkRecord> {
  constructor(@InjectModel(calendarLinkModel) model: Model<CalendarLinkRecord>) {
    super(model);
  }

  async findOfTeam(scope: OrganizationScope, teamId: string): Promise<CalendarLink[]> {
    const links = await this.find(scope, { teamId: toRecordId(teamId) }, fields, { slot: 1 });
    return links.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  findOfTeamById(scope: OrganizationScope, teamId: string, id: string, session: Session): Promise<CalendarLink[]> {
    const filter = { _id: toRecordId(id), teamId: toRecordId(teamId) };
    return this.find(scope, filter, fields, { _id: 1 }, { session });
  }

  findByTokenHash(scope: OrganizationScope, tokenHash: string): Promise<CalendarLink | null> {
    return this.findOne(scope, { tokenHash }, fields);
  }

  /**
   * Inserts a link into a free slot of its team. Returns false if all are used.
   * @param transaction runs the insertion, and what belongs to it
   */
  async insert(
    scope: OrganizationScope,
    link: Omit<CalendarLinkRecord, 'slot'>,
    transaction: (insertion: (session: Session) => Promise<void>) => Promise<void>,
  ): Promise<boolean> {
    const stored = await this.find(scope, { teamId: link.teamId }, ['slot'], { slot: 1 });
    const used = new Set(stored.map(({ slot }) => slot));
    // Requests at the same time begin with different slots, because each attempt is a transaction.
    const first = randomInt(slots.length);
    const free = [...slots.slice(first), ...slots.slice(0, first)].filter((slot) => !used.has(slot));
    for (const slot of free) {
      try {
        await transaction((session) => this.insertOne(scope, { ...link, slot }, session));
        return true;
      } catch (error) {
        // A request at the same time took the slot.
        if (!(error instanceof UniqueIndexViolation)) throw error;
      }
    }
    return false;
  }

  remove(scope: OrganizationScope, id: string, session: Session): Promise<void> {
    return this.replaceAll(scope, { _id: toRecordId(id) }, [], session);
  }
}
