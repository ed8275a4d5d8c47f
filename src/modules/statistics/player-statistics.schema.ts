import type { Type } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { field } from '../../validation/field.js';
import { ChoiceField, DateField, RecordIdField, TextField } from '../../validation/fields.js';
import { type OrganizationRecord, type RecordId, storage } from '../../database/record.js';
import { statisticsCategories, type StatisticsCategory } from './rules/statistics-table.js';

/** The statistics of a player in one category of a game, with the name, number and team at the time of the game. */
export class PlayerStatistics {
  @RecordIdField({ description: 'The ID of the schedule.', example: '6650f1f77bcf86cd79943961', required: true })
  scheduleId!: RecordId;

  @ChoiceField({ description: 'The category of the counters.', choices: statisticsCategories, required: true })
  category!: StatisticsCategory;

  @RecordIdField({
    description: "The ID of the player's team at the time of the game.",
    example: '6650f1f77bcf86cd79943941',
    required: true,
  })
  teamId!: RecordId;

  /** Of the present, not stored, like that of the player. */
  @field({ description: 'Your own ID of that team.', example: 'club-7' }, { schema: { type: String } })
  teamExternalId?: string;

  @TextField({ description: 'The name of that team.', max: 120, example: 'Bay Hawks', required: true })
  teamName!: string;

  @RecordIdField({ description: 'The ID of the player.', example: '6650f1f77bcf86cd79943951', required: true })
  playerId!: RecordId;

  @field({ description: 'Your own ID of the player.', example: 'member-1' }, { schema: { type: String } })
  playerExternalId?: string;

  @TextField({
    description: 'The name of the player at the time of the game.',
    max: 120,
    example: 'Jordan Lee',
    required: true,
  })
  playerName!: string;

  @TextField({ description: 'The jersey number at the time of the game.', max: 4, example: '07' })
  jerseyNumber?: string;

  @field(
    { description: 'All counters of the category. `null`: not tracked.', required: true },
    { schema: { type: Object }, stored: 'Mixed' },
  )
  stats!: Record<string, number | null>;

  @field(
    {
      description:
        'The rates and sums of the category. Rates have one decimal and are `null` if they cannot be computed.',
      required: true,
    },
    { schema: { type: Object } },
  )
  derived!: Record<string, number | null>;

  @DateField({ description: 'The time at which the row was written.', example: '2027-05-01T10:20:00Z', required: true })
  updatedAt!: Date;
}

/** Fields that each response computes or looks up. */
export type AddedField = 'derived' | 'playerExternalId' | 'teamExternalId';

const StoredStatistics = PlayerStatistics as Type<Omit<PlayerStatistics, AddedField>>;

@Schema({ collection: 'playerStatistics', ...storage })
export class PlayerStatisticsRecord extends StoredStatistics implements OrganizationRecord {
  _id!: RecordId;
  @Prop({ type: 'ObjectId', immutable: true }) organizationId!: RecordId;
  /** The admin who wrote the row; absent if the server or an operator wrote it. */
  @Prop({ type: 'ObjectId', immutable: true }) createdBy?: RecordId;
  @Prop({ type: Date, immutable: true }) createdAt!: Date;
}

export const playerStatisticsSchema = SchemaFactory.createForClass(PlayerStatisticsRecord);

// Serves the statistics of a game, and limits a player to one row per category.
playerStatisticsSchema.index(
  { organizationId: 1, scheduleId: 1, category: 1, playerId: 1 },
  { name: 'one_row_per_player_and_category', unique: true },
);
// Serves the export and the erasure of a player, in batches without the rows that have the new name already.
playerStatisticsSchema.index({ organizationId: 1, playerId: 1, playerName: 1 }, { name: 'rows_of_player' });
