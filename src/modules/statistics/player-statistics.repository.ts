import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { fieldNamesOf } from '../../common/validation/dto.js';
import { DatabaseService } from '../../database/database.service.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { PlayerStatistics, playerStatisticsModel, type PlayerStatisticsRecord } from './player-statistics.schema.js';
import type { StatisticsCategory } from './rules/statistics-table.js';

const rowFields = fieldNamesOf(PlayerStatistics) as Exclude<keyof PlayerStatistics, 'derived'>[];
const playerFields = ['playerId', 'playerName', 'jerseyNumber', 'teamId', 'teamName'] as const;

/** The stored fields of a row in responses. */
export type StoredStatistics = Pick<PlayerStatisticsRecord, (typeof rowFields)[number]>;

/** A player with name, number and team as they were at the game. */
export type PlayerSnapshot = Pick<PlayerStatistics, (typeof playerFields)[number]>;

@Injectable()
export class PlayerStatisticsRepository extends OrganizationRepository<PlayerStatisticsRecord> {
  constructor(
    @InjectModel(playerStatisticsModel) model: Model<PlayerStatisticsRecord>,
    private readonly database: DatabaseService,
  ) {
    super(model);
  }

  /**
   * Returns the rows of a game in no particular order, optionally only of some categories or of one team. A snapshot read
   * makes sure that they are all from the same PUT: a PUT may commit between the batches of more than 101 rows.
   */
  findOfSchedule(
    scope: OrganizationScope,
    scheduleId: string,
    only: { categories?: readonly StatisticsCategory[] | undefined; teamId?: string | undefined },
  ): Promise<StoredStatistics[]> {
    const filter = {
      scheduleId: toRecordId(scheduleId),
      ...(only.categories && { category: { $in: only.categories } }),
      ...(only.teamId !== undefined && { teamId: toRecordId(only.teamId) }),
    };
    // A standalone server has neither snapshots nor the transactions that write statistics.
    const readConcern = this.database.hasTransactions ? 'snapshot' : undefined;
    return this.find(scope, filter, rowFields, { category: 1, playerId: 1 }, { readConcern });
  }

  /** Returns the player of each row of a game, inside a transaction. */
  findPlayersOfSchedule(scope: OrganizationScope, scheduleId: string, session: Session): Promise<PlayerSnapshot[]> {
    return this.find(
      scope,
      { scheduleId: toRecordId(scheduleId) },
      playerFields,
      { category: 1, playerId: 1 },
      { session },
    );
  }

  /** Replaces all rows of a game, inside a transaction. */
  replaceOfSchedule(
    scope: OrganizationScope,
    scheduleId: string,
    rows: readonly PlayerStatisticsRecord[],
    session: Session,
  ): Promise<void> {
    return this.replaceAll(scope, { scheduleId: toRecordId(scheduleId) }, rows, session);
  }
}
