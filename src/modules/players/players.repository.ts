import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { notDeleted } from '../../database/organization.repository.js';
import { creationOrder, type PageStart, type StoredPage } from '../../database/list-queries.js';
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

  /** A page of a team's players, in order of creation. */
  findOfTeam(scope: OrganizationScope, teamId: string, start: PageStart): Promise<StoredPage<Player>> {
    const filter = { teamId: toRecordId(teamId), ...notDeleted };
    return this.findPage(scope, filter, publicFields, { ...start, order: creationOrder });
  }

  /** A player of a team. */
  findOfTeamById(scope: OrganizationScope, teamId: string, id: string): Promise<Player | null> {
    return this.findOne(scope, ofTeam(teamId, id), publicFields);
  }

  /** The roster entries of those players who are on one of the teams. */
  findRosterEntries(
    scope: OrganizationScope,
    teamIds: readonly string[],
    ids: readonly string[],
  ): Promise<RosterEntry[]> {
    const filter = { _id: { $in: ids.map(toRecordId) }, teamId: { $in: teamIds.map(toRecordId) }, ...notDeleted };
    return this.find(scope, filter, ['_id', 'teamId', 'name', 'jerseyNumber'], { _id: 1 });
  }

  /** Changes a player of a team; the changed player, or null where the team has none such. */
  updateById(
    scope: OrganizationScope,
    teamId: string,
    id: string,
    changes: FieldChanges<PlayerRecord>,
  ): Promise<Player | null> {
    return this.updateOne(scope, ofTeam(teamId, id), toUpdate(changes), publicFields);
  }
}

function ofTeam(teamId: string, id: string) {
  return { _id: toRecordId(id), teamId: toRecordId(teamId), ...notDeleted };
}
