import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../common/clock.js';
import type { OrganizationScope } from '../common/context/request-context.js';
import { FollowedChanges } from '../database/followed-changes.js';
import { alive } from '../database/organization.repository.js';
import { creationOrder, type PageStart, type StoredPage } from '../database/reading.js';
import { toRecordId } from '../database/record.js';
import type { RecordMemory } from '../database/record-memory.js';
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
export type TeamName = Pick<TeamRecord, '_id' | 'organizationId' | 'name'>;

const rememberedTeams = 20_000;

@Injectable()
export class TeamsRepository extends IdempotentRepository<TeamRecord> {
  private readonly names: RecordMemory<TeamName>;

  constructor(@InjectModel(teamModel) model: Model<TeamRecord>, clock: Clock, changes: FollowedChanges) {
    super(model, clock);
    this.names = changes.memoryOf(model.collection.name, rememberedTeams);
  }

  /** A page of the organization's teams, in order of creation. */
  findOfOrganization(scope: OrganizationScope, start: PageStart): Promise<StoredPage<ShownTeam>> {
    return this.findPage(scope, alive, shown, { ...start, order: creationOrder });
  }

  /** Names of some of the organization's teams, by id, in no promised order: remembered, or read where one is not. */
  async findNames(scope: OrganizationScope, ids: readonly string[]): Promise<readonly TeamName[]> {
    const remembered = ids.map((id) => this.recallName(scope, id)).filter((name) => name !== undefined);
    if (remembered.length === ids.length) return remembered;
    const named = { _id: { $in: ids.map(toRecordId) }, ...alive };
    const find = () => this.find(scope, named, ['_id', 'organizationId', 'name'], { _id: 1 });
    return this.names.read(({ _id }) => String(_id), find);
  }

  /** Another organization's team is none here, whoever it was remembered for. */
  private recallName({ organization }: OrganizationScope, id: string): TeamName | undefined {
    const name = this.names.recall(id.toLowerCase());
    return String(name?.organizationId) === organization.id ? name : undefined;
  }
}
