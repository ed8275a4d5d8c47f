import type { PlayerStatisticsRow } from './player-statistics.response.js';
import type { ShownStatistics } from './player-statistics.repository.js';
import { completeCounters, statisticsCategories } from './rules/counters.js';
import { deriveRates } from './rules/derive.js';

/** The fields of a row that leave, with the rates that follow from its counters. */
export function toStatisticsRow(record: ShownStatistics): PlayerStatisticsRow {
  const stats = completeCounters(record.category, record.stats);
  return {
    scheduleId: String(record.scheduleId),
    category: record.category,
    teamId: String(record.teamId),
    teamName: record.teamName,
    playerId: String(record.playerId),
    playerName: record.playerName,
    ...(record.jerseyNumber !== undefined && { jerseyNumber: record.jerseyNumber }),
    stats,
    derived: deriveRates(record.category, stats),
    updatedAt: record.updatedAt.toISOString(),
  };
}

/** The order of rows: by team, category, player's name, player's id. */
export function inOrder(a: PlayerStatisticsRow, b: PlayerStatisticsRow): number {
  return (
    compare(a.teamName, b.teamName) ||
    statisticsCategories.indexOf(a.category) - statisticsCategories.indexOf(b.category) ||
    compare(a.playerName, b.playerName) ||
    compare(a.playerId, b.playerId)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
