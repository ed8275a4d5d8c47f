import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../common/context/request-context.js';
import { DatabaseService } from '../database/database.service.js';
import { OrganizationRepository } from '../database/organization.repository.js';
import { toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { playerStatisticsModel, type PlayerStatisticsRecord } from './player-statistics.schema.js';
import type { StatisticsCategory } from './rules/counters.js';

const shown = [
  'scheduleId',
  'category',
  'teamId',
  'teamName',
  'playerId',
  'playerName',
  'jerseyNumber',
  'stats',
  'updatedAt',
] as const satisfies (keyof PlayerStatisticsRecord)[];

export type ShownStatistics = Pick<PlayerStatisticsRecord, (typeof shown)[number]>;
export type PlayerAtTheGame = Pick<
  PlayerStatisticsRecord,
  'playerId' | 'playerName' | 'jerseyNumber' | 'teamId' | 'teamName'
>;

@Injectable()
export class PlayerStatisticsRepository extends OrganizationRepository<PlayerStatisticsRecord> {
  constructor(
    @InjectModel(playerStatisticsModel) model: Model<PlayerStatisticsRecord>,
    private readonly database: DatabaseService,
  ) {
    super(model);
  }

  /**
   * The rows of a game, of some categories and of one team where these are given; in no promised order. All of them are
   * from the same PUT: a result of more than 101 rows arrives in several batches, and a PUT may commit in between.
   */
  findOfSchedule(
    scope: OrganizationScope,
    scheduleId: string,
    only: { categories?: readonly StatisticsCategory[]; teamId?: string },
  ): Promise<ShownStatistics[]> {
    const filter = {
      scheduleId: toRecordId(scheduleId),
      ...(only.categories && { category: { $in: only.categories } }),
      ...(only.teamId !== undefined && { teamId: toRecordId(only.teamId) }),
    };
    // A standalone server has no snapshots, and no transactions that could write statistics.
    const readConcern = this.database.hasTransactions ? 'snapshot' : undefined;
    return this.find(scope, filter, shown, { category: 1, playerId: 1 }, { readConcern });
  }

  /** Who played, as the game's rows have it, inside a transaction. */
  findPlayersOfSchedule(scope: OrganizationScope, scheduleId: string, session: Session): Promise<PlayerAtTheGame[]> {
    const fields = ['playerId', 'playerName', 'jerseyNumber', 'teamId', 'teamName'] as const;
    return this.find(scope, { scheduleId: toRecordId(scheduleId) }, fields, { category: 1, playerId: 1 }, { session });
  }

  /** Puts rows in the place of all rows of a game, inside a transaction. */
  replaceOfSchedule(
    scope: OrganizationScope,
    scheduleId: string,
    rows: readonly PlayerStatisticsRecord[],
    session: Session,
  ): Promise<void> {
    return this.replaceAll(scope, { scheduleId: toRecordId(scheduleId) }, rows, session);
  }
}
