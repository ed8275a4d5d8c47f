import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { OrganizationRepository } from '../../database/organization.repository.js';
import type { RecordId } from '../../database/record.js';
import { playerStatisticsModel, type PlayerStatisticsRecord } from './player-statistics.schema.js';
import { accumulatorsOf, countersOf, type PlayerSums } from './rules/season-totals.rules.js';
import type { StatisticsCategory } from './rules/statistics-table.js';

/** The rows of a player in some games: `sum_…` and `max_…` of each counter, and the player as of the latest row. */
interface PlayerGroup extends Pick<PlayerSums, 'games' | 'latest'>, Readonly<Record<string, unknown>> {
  readonly _id: RecordId;
}

// MongoDB compares objects by their first field that differs.
const latest = Object.fromEntries(
  ['updatedAt', 'playerName', 'jerseyNumber', 'teamId', 'teamName'].map((field) => [field, `$${field}`]),
);

@Injectable()
export class SeasonTotalsRepository extends OrganizationRepository<PlayerStatisticsRecord> {
  constructor(@InjectModel(playerStatisticsModel) model: Model<PlayerStatisticsRecord>) {
    super(model);
  }

  async sumByPlayer(
    scope: OrganizationScope,
    scheduleIds: readonly RecordId[],
    category: StatisticsCategory,
  ): Promise<PlayerSums[]> {
    const accumulators = { games: { $sum: 1 }, latest: { $max: latest }, ...accumulatorsOf(category) };
    const filter = { scheduleId: { $in: [...scheduleIds] }, category };
    const stages = [{ $group: { _id: '$playerId', ...accumulators } }];
    const groups = await this.aggregate<PlayerGroup>(scope, filter, stages);
    return groups.map(({ _id, games, latest: row, ...group }) => {
      return { playerId: _id.toHexString(), games, latest: row, stats: countersOf(category, group) };
    });
  }
}
