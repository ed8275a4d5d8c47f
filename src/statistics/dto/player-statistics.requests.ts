import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { Field } from '../../common/validation/field.js';
import { TeamIdField } from '../../common/validation/fields.js';
import { maximumRows } from '../rules/check-rows.js';
import { isStatisticsCategory, statisticsCategories, type StatisticsCategory } from '../rules/counters.js';
import { references, sentCounterModels } from '../statistics-models.js';

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
