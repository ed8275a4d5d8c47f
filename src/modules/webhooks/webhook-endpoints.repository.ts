import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { UniqueIndexViolation } from '../../database/operations.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import { type FieldChanges, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { WebhookEndpoint, webhookEndpointModel, type WebhookEndpointRecord } from './webhook-endpoint.schema.js';

const slots = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
export const fields = [...fieldNamesOf(WebhookEndpoint), 'failingSince', 'lastDelivery'] as const;

/** An endpoint without its secrets. */
export type ListedEndpoint = Pick<WebhookEndpointRecord, (typeof fields)[number]>;

/** The webhook endpoints of an organization, at most ten. */
@Injectable()
export class WebhookEndpointsRepository extends OrganizationRepository<WebhookEndpointRecord> {
  constructor(@InjectModel(webhookEndpointModel) model: Model<WebhookEndpointRecord>) {
    super(model);
  }

  findAll(scope: OrganizationScope): Promise<ListedEndpoint[]> {
    return this.find(scope, {}, fields, { slot: 1 });
  }

  findById(scope: OrganizationScope, id: string): Promise<ListedEndpoint | null> {
    return this.findOne(scope, { _id: toRecordId(id) }, fields);
  }

  findSecret(scope: OrganizationScope, id: string): Promise<Pick<WebhookEndpointRecord, 'secret'> | null> {
    return this.findOne(scope, { _id: toRecordId(id) }, ['secret']);
  }

  /** Inserts an endpoint into a free slot. Returns false if there is none. */
  async insert(scope: OrganizationScope, endpoint: Omit<WebhookEndpointRecord, 'slot'>): Promise<boolean> {
    for (;;) {
      const used = (await this.find(scope, {}, ['slot'], { slot: 1 })).map(({ slot }) => slot);
      const slot = slots.find((free) => !used.includes(free));
      if (slot === undefined) return false;
      try {
        await this.insertOne(scope, { ...endpoint, slot });
        return true;
      } catch (error) {
        // A concurrent request took the slot.
        if (!(error instanceof UniqueIndexViolation)) throw error;
      }
    }
  }

  /** Returns the updated endpoint, or null if none matches. */
  update(
    scope: OrganizationScope,
    id: string,
    changes: FieldChanges<WebhookEndpointRecord>,
    { filter, session }: { filter?: QueryFilter<WebhookEndpointRecord>; session?: Session } = {},
  ): Promise<ListedEndpoint | null> {
    const update = toUpdate<WebhookEndpointRecord>(changes);
    return this.updateOne(scope, { _id: toRecordId(id), ...filter }, update, fields, session && { session });
  }

  remove(scope: OrganizationScope, id: string, session: Session): Promise<void> {
    return this.replaceAll(scope, { _id: toRecordId(id) }, [], session);
  }
}
