import type { Type } from '@nestjs/common';
import { capitalize, createModel, createUnion, type Properties } from '../../validation/union.js';
import { ResponseDto } from '../../validation/dto.js';
import { RecordIdField, TeamIdField } from '../../validation/fields.js';
import { ExternalIdField } from '../../validation/ids.js';
import { PlayerStatistics } from './player-statistics.schema.js';
import { forEachCategory } from './rules/counters.js';
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
    description: 'The ID of a player of the organization. Either this or `playerExternalId` is required.',
    example: '6650f1f77bcf86cd79943951',
  })
  playerId?: string;

  @ExternalIdField({
    description: 'Your own ID of the player, instead of `playerId`.',
    example: 'erp-4711',
  })
  playerExternalId?: string;

  @TeamIdField({
    description:
      'The side, one of the two teams of the game. By default the team of the player when the game started; required if that is no side.',
    example: '6650f1f77bcf86cd79943941',
  })
  teamId?: string;

  @ExternalIdField({ description: 'Your own ID of the side, instead of `teamId`.', example: 'club-7' })
  teamExternalId?: string;
}

/** A row of the request; `parseRows` validates it. */
export const SentStatisticsRow = createRow('Sent', SentRow, (category, name) => ({
  stats: {
    description: 'The counters of the category. Omitted counters and `null` are not tracked.',
    type: createModel(`${name}Counters`, countersOf(category, false)),
  },
}));

const models = forEachCategory((category): Properties => {
  const name = capitalize(category);
  const stats = { type: createModel(`${name}Counters`, countersOf(category, true)) };
  return { stats, derived: { type: createModel(`${name}Derived`, derivedOf(category)) } };
});
const modelsOf = (category: StatisticsCategory) => models[category];

export const PlayerStatisticsRow = createRow('', ResponseDto(PlayerStatistics), modelsOf);

/** Creates the union of the totals of a season by category. */
export const createTotalsRow = <T extends object>(base: Type<T>): Type<T> => createRow('Season', base, modelsOf);
