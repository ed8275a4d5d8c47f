import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../../common/http/paging.js';
import { jsonMapper, ResponseDto } from '../../common/validation/dto.js';
import { Field } from '../../common/validation/field.js';
import { TeamIdField } from '../../common/validation/fields.js';
import type { StoredStatistics } from './player-statistics.repository.js';
import { PlayerStatistics } from './player-statistics.schema.js';
import { completeCounters, deriveValues } from './rules/counters.js';
import { maximumRows } from './rules/parse-rows.js';
import { isStatisticsCategory, statisticsCategories, type StatisticsCategory } from './rules/statistics-table.js';
import { counterModels, derivedModels, referencesTo, sentCounterModels } from './statistics-models.js';

/** Query of `GET /schedules/{scheduleId}/player-statistics`. */
export class PlayerStatisticsQuery {
  @Field({
    convert: splitList,
    problem: (value) =>
      Array.isArray(value) && value.every(isStatisticsCategory)
        ? undefined
        : `must be one or more of ${statisticsCategories.join(', ')}, separated by commas`,
    description: 'List only these categories, separated by commas or as repeated parameters. Omit to list all.',
    example: ['qb', 'offensive'],
    schema: { type: 'array', items: { type: 'string', enum: [...statisticsCategories] } },
  })
  categories?: StatisticsCategory[];

  @TeamIdField({
    description: 'List only players of this team, which must play in the game.',
    example: '6650f1f77bcf86cd79943941',
  })
  teamId?: string;
}

function splitList(raw: unknown): unknown {
  const texts: unknown[] = Array.isArray(raw) ? raw : [raw];
  return texts.flatMap((text) => (typeof text === 'string' ? text.split(',').map((word) => word.trim()) : [text]));
}

/** The OpenAPI schema of a row of the request; `parseRows` validates it. */
@ApiExtraModels(...sentCounterModels)
export class SentStatisticsRow {
  @ApiProperty({
    description: 'The ID of a player of one of the two teams.',
    pattern: '^[0-9a-fA-F]{24}$',
    example: '6650f1f77bcf86cd79943951',
  })
  playerId!: string;

  @ApiProperty({ description: 'The category of the counters.', enum: statisticsCategories, example: 'qb' })
  category!: StatisticsCategory;

  @ApiProperty({
    description: 'The counters of the category. Omitted counters and `null` are not tracked.',
    anyOf: referencesTo(sentCounterModels),
    example: { passAttempts: 12, completions: 8, passingYards: 104, passingTouchdowns: 2 },
  })
  stats!: Record<string, number | null>;
}

/** Body of `PUT /schedules/{scheduleId}/player-statistics`. */
export class ReplacePlayerStatistics {
  // The rows are passed on as sent, because `parseRows` also rejects unknown fields.
  @Field({
    description: 'The rows. An empty array clears the statistics.',
    required: true,
    problem: () => undefined,
    schema: { type: [SentStatisticsRow], maxItems: maximumRows },
  })
  rows!: unknown;
}

/** One player's statistics in one category of one game. */
@ApiExtraModels(...counterModels, ...derivedModels)
export class PlayerStatisticsRow extends ResponseDto(PlayerStatistics) {}

/** The statistics of a game. */
export class PlayerStatisticsResponse extends PageDto(PlayerStatisticsRow, {
  data: 'All rows, sorted by team name, category, player name and player ID.',
  total: 'The number of rows.',
}) {}

const toJson = jsonMapper(PlayerStatistics);

/** Maps the stored rows of a game to the response: sorted, with derived values. */
export function toPlayerStatisticsResponse(records: readonly StoredStatistics[]): PlayerStatisticsResponse {
  const data = records.map((record): PlayerStatisticsRow => {
    const stats = completeCounters(record.category, record.stats);
    return toJson({ ...record, stats, derived: deriveValues(record.category, stats) });
  });
  return { data: data.sort(compareRows), total: data.length };
}

function compareRows(a: PlayerStatisticsRow, b: PlayerStatisticsRow): number {
  return (
    compareText(a.teamName, b.teamName) ||
    statisticsCategories.indexOf(a.category) - statisticsCategories.indexOf(b.category) ||
    compareText(a.playerName, b.playerName) ||
    compareText(a.playerId, b.playerId)
  );
}

/** Compares by code unit, which unlike `localeCompare` gives the same order on every machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
