import { PageDto } from '../../http/paging.js';
import { type Json, jsonMapper } from '../../validation/dto.js';
import { field } from '../../validation/field.js';
import { ChoiceListField, TeamIdField } from '../../validation/fields.js';
import { compareNames, compareText } from '../../validation/text.js';
import type { StoredStatistics } from './player-statistics.repository.js';
import { PlayerStatistics } from './player-statistics.schema.js';
import { completeCounters, deriveValues } from './rules/counters.js';
import { maxRows } from './rules/parse-rows.js';
import { statisticsCategories, type StatisticsCategory } from './rules/statistics-table.js';
import { PlayerStatisticsRow, SentStatisticsRow } from './statistics-openapi.js';

/** Query of `PUT …/player-statistics` with a key. */
export class StatisticsSideQuery {
  @TeamIdField({ description: 'Replace only the rows of this team, one of the two in the game.' })
  teamId?: string;
}

export class PlayerStatisticsQuery {
  @ChoiceListField({
    description: 'List only these categories, separated by commas or as repeated parameters. Omit to list all.',
    choices: statisticsCategories,
    enumName: 'StatisticsCategory',
  })
  categories?: StatisticsCategory[];

  @TeamIdField({ description: 'List only players of this team, one of the two in the game.' })
  teamId?: string;
}

export class ReplacePlayerStatistics {
  // The rows are passed on as sent, because `parseRows` also rejects unknown fields.
  @field(
    {
      description: 'The rows. An empty array clears the statistics.',
      required: true,
      example: [{ playerId: '6650f1f77bcf86cd79943951', category: 'qb', stats: { passAttempts: 22, completions: 14 } }],
    },
    { schema: { type: [SentStatisticsRow], maxItems: maxRows } },
  )
  rows!: unknown;
}

export class PlayerStatisticsResponse extends PageDto<Json<PlayerStatistics>>(PlayerStatisticsRow, {
  data: 'All rows, sorted by team name, category, player name and player ID.',
  total: 'The number of rows.',
}) {}

const toJson = jsonMapper(PlayerStatistics);

/** Maps the stored rows of a game to the response: sorted, with derived values and the external IDs by ID. */
export function toPlayerStatisticsResponse(
  records: readonly StoredStatistics[],
  externalIds: ReadonlyMap<string, string | null | undefined>,
): PlayerStatisticsResponse {
  const data = records.map((record): Json<PlayerStatistics> => {
    const stats = completeCounters(record.category, record.stats);
    const [playerExternalId, teamExternalId] = [record.playerId, record.teamId].map((id) =>
      externalIds.get(String(id)),
    );
    const own = { ...(playerExternalId && { playerExternalId }), ...(teamExternalId && { teamExternalId }) };
    return toJson({ ...record, ...own, stats, derived: deriveValues(record.category, stats) });
  });
  return { data: data.sort(compareRows), total: data.length };
}

function compareRows(a: Json<PlayerStatistics>, b: Json<PlayerStatistics>): number {
  return (
    compareNames(a.teamName, b.teamName) ||
    statisticsCategories.indexOf(a.category) - statisticsCategories.indexOf(b.category) ||
    compareNames(a.playerName, b.playerName) ||
    compareText(a.playerId, b.playerId)
  );
}
