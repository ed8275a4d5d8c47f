import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { notDeleted, OrganizationRepository } from '../../database/organization.repository.js';
import { toRecordId } from '../../database/record.js';
import { decidedStatuses } from '../schedules/game-outcome.schema.js';
import { scheduleModel, type ScheduleRecord } from '../schedules/schedule.schema.js';
import { teamModel, type TeamRecord } from '../teams/team.schema.js';
import type { StandingsQuery } from './standing.dto.js';
import type { DecidedGame, RankedTeam } from './standings.rules.js';

const resultFields = ['teamOneId', 'teamTwoId', 'teamOneScore', 'teamTwoScore', 'forfeitedBy'] as const;
const countedFields = ['_id', 'statisticsWrittenAt', 'statisticsRevision'] as const;
const teamFields = ['_id', 'name', 'externalId', 'isArchived'] as const;

/** A game whose statistics count, with what changes with them. */
export type CountedGame = Pick<ScheduleRecord, (typeof countedFields)[number]>;

@Injectable()
export class SeasonTeamsRepository extends OrganizationRepository<TeamRecord> {
  constructor(@InjectModel(teamModel) model: Model<TeamRecord>) {
    super(model);
  }

  async findBySeason(
    scope: OrganizationScope,
    seasonId: string,
    filters: Pick<StandingsQuery, 'ageGroup' | 'gender'> = {},
  ): Promise<RankedTeam[]> {
    const filter = { season: toRecordId(seasonId), ...notDeleted, ...filters };
    const teams = await this.find(scope, filter, teamFields, { createdAt: 1, _id: 1 });
    return teams.map(({ _id, ...team }) => ({ id: String(_id), ...team }));
  }

  findVersion(scope: OrganizationScope): Promise<string> {
    return this.findVersionBy(scope, 'updatedAt', 'revision');
  }
}

@Injectable()
export class SeasonGamesRepository extends OrganizationRepository<ScheduleRecord> {
  constructor(@InjectModel(scheduleModel) model: Model<ScheduleRecord>) {
    super(model);
  }

  /** Returns the decided games whose owning team is one of these, except games against guests, scrimmages and test games. */
  async findDecided(scope: OrganizationScope, teamIds: readonly string[]): Promise<DecidedGame[]> {
    const filter = {
      ...notDeleted,
      ...decidedStatuses,
      teamOneId: { $in: teamIds.map(toRecordId) },
      teamTwoId: { $exists: true },
      eventType: 'game',
      isScrimmage: false,
      isTestGame: false,
    } as const;
    const games = await this.find(scope, filter, resultFields, { teamOneId: 1 });
    return games.map(({ teamOneId, teamTwoId, ...game }) => ({
      teamOneId: teamOneId.toHexString(),
      teamTwoId: String(teamTwoId),
      ...game,
    }));
  }

  /** Returns the games with statistics whose owning team is one of these, except cancelled ones, scrimmages and test games. */
  findCounted(scope: OrganizationScope, teamIds: readonly string[]): Promise<CountedGame[]> {
    const filter = {
      ...notDeleted,
      teamOneId: { $in: teamIds.map(toRecordId) },
      statisticsWrittenAt: { $exists: true },
      eventType: 'game',
      status: { $ne: 'cancelled' },
      isScrimmage: false,
      isTestGame: false,
    } as const;
    return this.find(scope, filter, countedFields, {});
  }

  findVersion(scope: OrganizationScope): Promise<string> {
    return this.findVersionBy(scope, 'updatedAt', 'revision');
  }

  findStatisticsVersion(scope: OrganizationScope): Promise<string> {
    return this.findVersionBy(scope, 'statisticsWrittenAt', 'statisticsRevision');
  }
}
