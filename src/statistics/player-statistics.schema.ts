import { Schema } from 'mongoose';
import {
  adminCreator,
  organizationFields,
  type OrganizationRecord,
  recordSchema,
  type RecordId,
  reference,
} from '../database/record.js';
import { statisticsCategories, type StatisticsCategory } from './rules/counters.js';

/** The counters of one player in one category of one game, with name, number and team as they were at the game. */
export interface PlayerStatisticsRecord extends OrganizationRecord {
  scheduleId: RecordId;
  category: StatisticsCategory;
  teamId: RecordId;
  teamName: string;
  playerId: RecordId;
  playerName: string;
  jerseyNumber?: string;
  /** All counters of the category; null: not tracked. */
  stats: Record<string, number | null>;
  createdBy?: RecordId;
}

export const playerStatisticsModel = 'PlayerStatistics';

const text = { type: String, required: true };

export const playerStatisticsSchema: Schema<PlayerStatisticsRecord> = recordSchema<PlayerStatisticsRecord>(
  'playerStatistics',
  {
    ...organizationFields,
    scheduleId: reference,
    category: { ...text, enum: statisticsCategories },
    teamId: reference,
    teamName: text,
    playerId: reference,
    playerName: text,
    jerseyNumber: { type: String },
    stats: { type: Schema.Types.Mixed, required: true },
    createdBy: adminCreator,
  },
);

// Serves the statistics of a game, and keeps a player to one row in each category.
playerStatisticsSchema.index(
  { organizationId: 1, scheduleId: 1, category: 1, playerId: 1 },
  { name: 'one_row_per_player_and_category', unique: true },
);
