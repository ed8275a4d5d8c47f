import type { Type } from '@nestjs/common';
import { PageDto } from '../../http/paging.js';
import { type Json, jsonMapper, ResponseDto } from '../../validation/dto.js';
import { Field } from '../../validation/field.js';
import { ChoiceListField, RecordIdField, TeamIdField } from '../../validation/fields.js';
import { capitalize, createModel, createUnion, type Properties } from '../../validation/union.js';
import type { StoredStatistics } from './player-statistics.repository.js';
import { PlayerStatistics } from './player-statistics.schema.js';
import { completeCounters, deriveValues } from './rules/counters.js';
import { maxRows } from './rules/parse-rows.js';
import { statisticsCategories, type StatisticsCategory, statisticsTable } from './rules/statistics-table.js';

/** The OpenAPI schemas of a statistics row: a union by category, generated from the table of counters. */

function countersOf(category: StatisticsCategory, required: boolean): Properties {
  const counters = Object.entries(statisticsTable[category].counters);
  const properties = counters.map(([name, { step, description, ...range }]): [string, Properties[string]] => {
    const number = step === 1 ? { type: 'integer' as const } : { type: 'number' as const, multipleOf: step };
    return [name, { ...number, ...range, nullable: true, required, description, example: 1 }];
  });
  return Object.fromEntries(properties);
}

function derivedOf(category: StatisticsCategory): Properties {
  const derived = Object.entries(statisticsTable[category].derived);
  return Object.fromEntries(
    derived.map(([name, { description }]) => [name, { type: 'number', nullable: true, description, example: 1 }]),
  );
}

const category = { name: 'category', description: 'The category of the counters.', values: statisticsCategories };

/** Creates the union of one model per category: the base, the category, and the properties of the category. */
function createRow<T extends object>(
  prefix: string,
  base: Type<T>,
  propertiesOf: (category: StatisticsCategory, name: string) => Properties,
): Type<T> {
  return createUnion(`${prefix || 'Player'}StatisticsRow`, base, category, (value) => {
    const name = `${prefix}${capitalize(value)}`;
    return { name: `${name}StatisticsRow`, properties: propertiesOf(value, name) };
  });
}

class SentRow {
  @RecordIdField({
    description: 'The ID of a player of one of the two teams.',
    example: '6650f1f77bcf86cd79943951',
    required: true,
  })
  playerId!: string;
}

/** A row of the request; `parseRows` validates it. */
const SentStatisticsRow = createRow('Sent', SentRow, (category, name) => ({
  stats: {
    description: 'The counters of the category. Omitted counters and `null` are not tracked.',
    type: createModel(`${name}Counters`, countersOf(category, false)),
  },
}));

const PlayerStatisticsRow = createRow('', ResponseDto(PlayerStatistics), (category, name) => ({
  stats: { type: createModel(`${name}Counters`, countersOf(category, true)) },
  derived: { type: createModel(`${name}Derived`, derivedOf(category)) },
}));

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
  @Field({
    description: 'The rows. An empty array clears the statistics.',
    required: true,
    problem: () => undefined,
    schema: { type: [SentStatisticsRow], maxItems: maxRows },
  })
  rows!: unknown;
}

export class PlayerStatisticsResponse extends PageDto<Json<PlayerStatistics>>(PlayerStatisticsRow, {
  data: 'All rows, sorted by team name, category, player name and player ID.',
  total: 'The number of rows.',
}) {}

const toJson = jsonMapper(PlayerStatistics);

/** Maps the stored rows of a game to the response: sorted, with derived values. */
export function toPlayerStatisticsResponse(records: readonly StoredStatistics[]): PlayerStatisticsResponse {
  const data = records.map((record): Json<PlayerStatistics> => {
    const stats = completeCounters(record.category, record.stats);
    return toJson({ ...record, stats, derived: deriveValues(record.category, stats) });
  });
  return { data: data.sort(compareRows), total: data.length };
}

function compareRows(a: Json<PlayerStatistics>, b: Json<PlayerStatistics>): number {
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
