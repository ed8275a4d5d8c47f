import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { statisticsCategories, type StatisticsCategory } from './rules/counters.js';
import { counterModels, derivedModels, references } from './statistics-models.js';

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
