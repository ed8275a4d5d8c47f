import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../common/clock.js';
import type { OrganizationScope } from '../common/context/request-context.js';
import { alive } from '../database/organization.repository.js';
import { creationOrder, type PageStart, type StoredPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import { IdempotentRepository } from '../idempotency/idempotent.repository.js';
import { teamModel, type TeamRecord } from './team.schema.js';

const shown = [
  '_id',
  'organizationId',
  'name',
  'season',
  'footballType',
  'ageGroup',
  'gender',
  'isArchived',
  'logoUrl',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof TeamRecord)[];

export type ShownTeam = Pick<TeamRecord, (typeof shown)[number]>;
export type TeamName = Pick<TeamRecord, '_id' | 'name'>;

@Injectable()
export class TeamsRepository extends IdempotentRepository<TeamRecord> {
  constructor(@InjectModel(teamModel) model: Model<TeamRecord>, clock: Clock) {
    super(model, clock);
  }

  /** A page of the organization's teams, in order of creation. */
  findOfOrganization(scope: OrganizationScope, start: PageStart): Promise<StoredPage<ShownTeam>> {
    return this.findPage(scope, alive, shown, { ...start, order: creationOrder });
  }

  /** Names of some of the organization's teams, by id. */
  findNames(scope: OrganizationScope, ids: readonly string[]): Promise<TeamName[]> {
    return this.find(scope, { _id: { $in: ids.map(toRecordId) }, ...alive }, ['_id', 'name'], { _id: 1 });
  }
}
