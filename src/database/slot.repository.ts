import type { QueryFilter } from 'mongoose';
import type { Tenant } from '../access/request-context.js';
import { OrganizationRepository } from './organization.repository.js';
import { UniqueIndexViolation } from './plugins/write-errors.js';
import { type OrganizationRecord, toRecordId } from './record.js';
import type { Session } from './transaction.js';

/** Base of repositories that limit how many records an owner has: each takes a slot, which a unique index reserves. */
export abstract class SlotRepository<
  T extends OrganizationRecord & { slot: number },
> extends OrganizationRepository<T> {
  /** Returns the slots for a new record in the order of attempts, and the filter of the records that share them. */
  protected abstract slotsFor(record: Omit<T, 'slot'>): { slots: readonly number[]; sharedWith: QueryFilter<T> };

  /**
   * Inserts a record into a free slot. Returns false if all are used.
   * @param transaction runs the insertion, and what belongs to it
   */
  async insert(
    tenant: Tenant,
    record: Omit<T, 'slot'>,
    transaction: (insertion: (session: Session) => Promise<void>) => Promise<void>,
  ): Promise<boolean> {
    const { slots, sharedWith } = this.slotsFor(record);
    const used = new Set((await this.find(tenant, sharedWith, ['slot'], { slot: 1 })).map(({ slot }) => slot));
    for (const slot of slots.filter((each) => !used.has(each))) {
      try {
        await transaction((session) => this.insertOne(tenant, { ...record, slot } as T, session));
        return true;
      } catch (error) {
        // A request at the same time took the slot.
        if (!(error instanceof UniqueIndexViolation)) throw error;
      }
    }
    return false;
  }

  remove(tenant: Tenant, id: string, session: Session): Promise<void> {
    return this.replaceAll(tenant, { _id: toRecordId(id) }, [], session);
  }
}
