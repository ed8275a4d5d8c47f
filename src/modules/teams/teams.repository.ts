import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { notDeleted } from '../../database/organization.repository.js';
import { creationOrder, type PageStart, type StoredPage } from '../../database/list-queries.js';
import { toRecordId } from '../../database/record.js';
import { IdempotentRepository } from '../../idempotency/idempotent.repository.js';
import { Team, teamModel, type TeamRecord } from './team.schema.js';

const publicFields = fieldNamesOf(Team);

export type TeamName = Pick<TeamRecord, '_id' | 'organizationId' | 'name'>;

const cachedTeams = 20_000;

@Injectable()
export class TeamsRepository extends IdempotentRepository<TeamRecord> {
  private readonly names: CoherentCache<TeamName>;

  constructor(@InjectModel(teamModel) model: Model<TeamRecord>, clock: Clock, changes: ChangeStreamService) {
    super(model, clock);
    const collections = [model.collection.name];
    this.names = changes.createCache({ collections, max: cachedTeams, idsOf: ({ _id }) => [String(_id)] });
  }

  /** Returns a page of the organization's teams, oldest first. */
  findByOrganization(scope: OrganizationScope, start: PageStart): Promise<StoredPage<Team>> {
    return this.findPage(scope, notDeleted, publicFields, { ...start, order: creationOrder });
  }

  /** Returns the names of teams of the organization in no particular order, cached or read from the database. */
  async findNames(scope: OrganizationScope, ids: readonly string[]): Promise<readonly TeamName[]> {
    const cached = ids.map((id) => this.getCachedName(scope, id)).filter((name) => name !== undefined);
    if (cached.length === ids.length) return cached;
    const read = this.names.startRead();
    const named = { _id: { $in: ids.map(toRecordId) }, ...notDeleted };
    const found = await this.find(scope, named, ['_id', 'organizationId', 'name'], { _id: 1 });
    for (const name of found) read.store(String(name._id), name);
    return found;
  }

  /** Returns undefined also for a team of another organization. */
  private getCachedName({ organization }: OrganizationScope, id: string): TeamName | undefined {
    const name = this.names.get(id.toLowerCase());
    return String(name?.organizationId) === organization.id ? name : undefined;
  }
}
