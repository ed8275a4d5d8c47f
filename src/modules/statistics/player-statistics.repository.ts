import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { maxBatch } from '../../database/plugins/operation-options.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { type AddedField, PlayerStatistics, PlayerStatisticsRecord } from './player-statistics.schema.js';
import { type PlayerSums, totalStages } from './rules/season-totals.rules.js';
import type { StatisticsCategory } from './rules/statistics-table.js';

const rowFields = fieldNamesOf(PlayerStatistics) as Exclude<keyof PlayerStatistics, AddedField>[];
/** How many rows of a player are renamed in one transaction, whose commands have 2 s each. */
export const renamedAtOnce = 500;
const playerFields = ['playerId', 'playerName', 'jerseyNumber', 'teamId', 'teamName'] as const;
const inIndexOrder = { category: 1, playerId: 1 } as const;

export type StoredStatistics = Pick<PlayerStatisticsRecord, (typeof rowFields)[number]>;

/** A player with the name, number and team at the time of the game. */
export type PlayerSnapshot = Pick<PlayerStatistics, (typeof playerFields)[number]>;

@Injectable()
export class PlayerStatisticsRepository extends OrganizationRepository<PlayerStatisticsRecord> {
  constructor(@InjectModel(PlayerStatisticsRecord.name) model: Model<PlayerStatisticsRecord>) {
    super(model);
  }

  /**
   * Returns the rows of a game in no particular order, optionally limited to some categories or one team. A snapshot read
   * ensures that all are from the same PUT, which can commit while MongoDB reads.
   */
  async findBySchedule(
    tenant: Tenant,
    scheduleId: string,
    filters: { categories?: readonly StatisticsCategory[] | undefined; teamId?: string | undefined },
  ): Promise<StoredStatistics[]> {
    const filter = {
      scheduleId: toRecordId(scheduleId),
      ...(filters.categories && { category: { $in: filters.categories } }),
      ...(filters.teamId !== undefined && { teamId: toRecordId(filters.teamId) }),
    };
    const snapshot = { readConcern: 'snapshot' } as const;
    const rows = await this.find(tenant, filter, rowFields, inIndexOrder, { ...snapshot, limit: maxBatch });
    // Former opponents of a game could leave more.
    return rows.length < maxBatch ? rows : this.find(tenant, filter, rowFields, inIndexOrder, snapshot);
  }

  /** Returns the player of each row of a game, inside a transaction. */
  findPlayersBySchedule(tenant: Tenant, scheduleId: string, session: Session): Promise<PlayerSnapshot[]> {
    return this.find(tenant, { scheduleId: toRecordId(scheduleId) }, playerFields, inIndexOrder, { session });
  }

  /** Adds up the rows of a category in some games by player, optionally only those of one team. */
  sumByPlayer(tenant: Tenant, scheduleIds: readonly RecordId[], category: StatisticsCategory, teamId?: string) {
    const side = teamId !== undefined && { teamId: toRecordId(teamId) };
    const filter = { scheduleId: { $in: [...scheduleIds] }, category, ...side };
    return this.aggregate<PlayerSums>(tenant, filter, totalStages(category));
  }

  /** Replaces all rows of a game, or those of one team, inside a transaction. */
  replaceBySchedule(
    tenant: Tenant,
    scheduleId: string,
    teamId: string | undefined,
    rows: readonly PlayerStatisticsRecord[],
    session: Session,
  ): Promise<void> {
    const side = teamId !== undefined && { teamId: toRecordId(teamId) };
    return this.replaceAll(tenant, { scheduleId: toRecordId(scheduleId), ...side }, rows, session);
  }

  /** Counts the rows of a player with another name. */
  countNamed(tenant: Tenant, playerId: string, otherName: string): Promise<number> {
    return this.count(tenant, namedOtherwise(playerId, otherName));
  }

  /** Changes the name of a player in up to 500 rows, inside a transaction. Returns the schedule of each row. */
  async renamePlayer(
    tenant: Tenant,
    playerId: string,
    playerName: string,
    updatedAt: Date,
    session: Session,
  ): Promise<RecordId[]> {
    const options = { session, limit: renamedAtOnce };
    const filter = namedOtherwise(playerId, playerName);
    const rows = await this.find(tenant, filter, ['_id', 'scheduleId'], { playerName: 1 }, options);
    const those = { ...filter, _id: { $in: rows.map(({ _id }) => _id) } };
    await this.updateMany(tenant, those, [{ $set: { playerName, updatedAt } }], { session });
    return rows.map(({ scheduleId }) => scheduleId);
  }
}

function namedOtherwise(playerId: string, playerName: string) {
  return { playerId: toRecordId(playerId), playerName: { $ne: playerName } };
}
