import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { notDeleted } from '../../database/organization.repository.js';
import type { PageStart, StoredPage } from '../../database/list-queries.js';
import { type FieldChanges, toRecordId, toUpdate } from '../../database/record.js';
import { IdempotentRepository } from '../../idempotency/idempotent.repository.js';
import { Player, playerModel, type PlayerRecord } from './player.schema.js';

const publicFields = fieldNamesOf(Player);

export type RosterEntry = Pick<PlayerRecord, '_id' | 'teamId' | 'name' | 'jerseyNumber'>;

@Injectable()
export class PlayersRepository extends IdempotentRepository<PlayerRecord> {
  constructor(@InjectModel(playerModel) model: Model<PlayerRecord>, clock: Clock) {
    super(model, clock);
  }

  /** Returns a page of a team's players, oldest first. */
  findByTeam(scope: OrganizationScope, teamId: string, start: PageStart): Promise<StoredPage<Player>> {
    const filter = { teamId: toRecordId(teamId), ...notDeleted };
    return this.findPage(scope, filter, publicFields, start);
  }

  /** Returns a player of a team. */
  findById(scope: OrganizationScope, teamId: string, id: string): Promise<Player | null> {
    return this.findOne(scope, byTeam(teamId, id), publicFields);
  }

  /** Returns the roster entries of those players who are on one of the teams. */
  findRosterEntries(
    scope: OrganizationScope,
    teamIds: readonly string[],
    ids: readonly string[],
  ): Promise<RosterEntry[]> {
    const filter = { _id: { $in: ids.map(toRecordId) }, teamId: { $in: teamIds.map(toRecordId) }, ...notDeleted };
    return this.find(scope, filter, ['_id', 'teamId', 'name', 'jerseyNumber'], { _id: 1 });
  }

  /** Updates a player of a team. Returns null if the team has no such player. */
  updateById(
    scope: OrganizationScope,
    teamId: string,
    id: string,
    changes: FieldChanges<PlayerRecord>,
  ): Promise<Player | null> {
    return this.updateOne(scope, byTeam(teamId, id), toUpdate(changes), publicFields);
  }
}

function byTeam(teamId: string, id: string) {
  return { _id: toRecordId(id), teamId: toRecordId(teamId), ...notDeleted };
}
