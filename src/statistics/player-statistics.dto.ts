import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { Field } from '../common/validation/field.js';
import { TeamIdField } from '../common/validation/fields.js';
import type { ShownStatistics } from './player-statistics.repository.js';
import { maximumRows } from './rules/check-rows.js';
import {
  completeCounters,
  isStatisticsCategory,
  statisticsCategories,
  type StatisticsCategory,
} from './rules/counters.js';
import { deriveRates } from './rules/derive.js';
import { counterModels, derivedModels, references, sentCounterModels } from './statistics-models.js';

/** Which rows of a game are read. */
export class PlayerStatisticsQuery {
  @Field({
    convert: listOfWords,
    problem: (value) =>
      Array.isArray(value) && value.every(isStatisticsCategory)
        ? undefined
        : `must be one or more of ${statisticsCategories.join(', ')}, separated by commas`,
    description: 'Only these categories; separated by commas, or repeated. Left out: all.',
    example: ['qb', 'offensive'],
    schema: { type: 'array', items: { type: 'string', enum: [...statisticsCategories] } },
  })
  categories?: StatisticsCategory[];

  @TeamIdField({ description: 'Only this side of the game.', example: '6650f1f77bcf86cd79943941' })
  teamId?: string;
}

function listOfWords(raw: unknown): unknown {
  const texts: unknown[] = Array.isArray(raw) ? raw : [raw];
  return texts.flatMap((text) => (typeof text === 'string' ? text.split(',').map((word) => word.trim()) : [text]));
}

/** One row as it is written; described for OpenAPI, checked by the rules of the statistics. */
@ApiExtraModels(...sentCounterModels)
export class SentStatisticsRow {
  @ApiProperty({
    description: 'A player of one of the two teams.',
    pattern: '^[0-9a-fA-F]{24}$',
    example: '6650f1f77bcf86cd79943951',
  })
  playerId!: string;

  @ApiProperty({ description: 'What is counted.', enum: statisticsCategories, example: 'qb' })
  category!: StatisticsCategory;

  @ApiProperty({
    description: "The category's counters; one that is not sent, or `null`, is not tracked.",
    anyOf: references(sentCounterModels),
    example: { passAttempts: 12, completions: 8, passingYards: 104, passingTouchdowns: 2 },
  })
  stats!: Record<string, number | null>;
}

/** All statistics of a game, in the place of those that were there. */
export class ReplacePlayerStatistics {
  // The rows are handed on as they were sent: their rules know every field, also those that must not be there.
  @Field({
    description: 'The rows; none clears the statistics.',
    required: true,
    problem: () => undefined,
    schema: { type: [SentStatisticsRow], maxItems: maximumRows },
  })
  rows!: unknown;
}

/** One player's statistics in one category of one game. */
@ApiExtraModels(...counterModels, ...derivedModels)
export class PlayerStatisticsRow {
  @ApiProperty({ description: 'The game.', example: '6650f1f77bcf86cd79943961' })
  scheduleId!: string;

  @ApiProperty({ description: 'What is counted.', enum: statisticsCategories, example: 'qb' })
  category!: StatisticsCategory;

  @ApiProperty({ description: "The player's team at the game.", example: '6650f1f77bcf86cd79943941' })
  teamId!: string;

  @ApiProperty({ description: "That team's name.", example: 'Bay Hawks' })
  teamName!: string;

  @ApiProperty({ description: 'The player.', example: '6650f1f77bcf86cd79943951' })
  playerId!: string;

  @ApiProperty({ description: "The player's name at the game.", example: 'Jordan Lee' })
  playerName!: string;

  @ApiProperty({ required: false, description: 'The number worn at the game.', example: '07' })
  jerseyNumber?: string;

  @ApiProperty({
    description: 'All counters of the category; `null` is not tracked, `0` is tracked and none.',
    oneOf: references(counterModels),
  })
  stats!: Record<string, number | null>;

  @ApiProperty({
    description: "The category's rates and sums; rates have one decimal and are `null` where they cannot be computed.",
    oneOf: references(derivedModels),
  })
  derived!: Record<string, number | null>;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the row was written.',
    example: '2027-05-01T10:20:00.000Z',
  })
  updatedAt!: string;
}

/** The statistics of a game. */
export class PlayerStatisticsResponse {
  @ApiProperty({
    type: [PlayerStatisticsRow],
    description: 'All rows, by team name, category, player name and player id.',
  })
  data!: PlayerStatisticsRow[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many rows there are.', example: 1 })
  total!: number;
}

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
