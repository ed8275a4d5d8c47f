import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { notDeleted } from '../../database/organization.repository.js';
import { toRecordId } from '../../database/record.js';
import { IdempotentRepository } from '../../idempotency/idempotent.repository.js';
import { Team, teamModel, type TeamRecord } from './team.schema.js';

type TeamName = Pick<TeamRecord, '_id' | 'name'>;

const cachedTeams = 20_000;

@Injectable()
export class TeamsRepository extends IdempotentRepository<TeamRecord, keyof Team> {
  /** Names by organization and team, so that no organization gets another one's. */
  private readonly names: CoherentCache<TeamName>;

  constructor(@InjectModel(teamModel) model: Model<TeamRecord>, clock: Clock, changes: ChangeStreamService) {
    super(model, fieldNamesOf(Team), clock);
    const collections = [model.collection.name];
    this.names = changes.createCache({ collections, max: cachedTeams, idsOf: ({ _id }) => [String(_id)] });
  }

  /** Returns the names of teams of the organization, by lower-case IDs, cached or read with one query. */
  async findNames(scope: OrganizationScope, ids: readonly string[]): Promise<TeamName[]> {
    const keyOf = (id: string) => `${scope.organization.id}/${id}`;
    return this.names.getOrLoadAll(ids, keyOf, (missing) =>
      this.find(scope, { _id: { $in: missing.map(toRecordId) }, ...notDeleted }, ['_id', 'name'], { _id: 1 }),
    );
  }
}
