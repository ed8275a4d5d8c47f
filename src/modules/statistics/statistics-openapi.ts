import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, type ApiPropertyOptions, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { ResponseDto } from '../../common/validation/dto.js';
import { RecordIdField } from '../../common/validation/fields.js';
import { PlayerStatistics } from './player-statistics.schema.js';
import { statisticsCategories, type StatisticsCategory, statisticsTable } from './rules/statistics-table.js';

/** The OpenAPI schemas of a statistics row: a union by category, generated from the table of counters. */

type Properties = Record<string, ApiPropertyOptions>;

function countersOf(category: StatisticsCategory, required: boolean): Properties {
  const counters = Object.entries(statisticsTable[category].counters);
  const properties = counters.map(([name, { step, description, ...range }]): [string, ApiPropertyOptions] => {
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

/** Creates a class with the properties in addition to those of its base, because @nestjs/swagger describes classes. */
function createModel(name: string, properties: Properties, base: Type<object> = Object): Type<object> {
  const model = { [name]: class extends base {} }[name] ?? Object;
  for (const [property, options] of Object.entries(properties)) ApiProperty(options)(model.prototype, property);
  return model;
}

/** Creates the union of one model per category: the base, the category, and the properties of the category. */
function createRow<T extends object>(
  prefix: string,
  base: Type<T>,
  propertiesOf: (category: StatisticsCategory, name: string) => Properties,
): Type<T> {
  const models = statisticsCategories.map((category) => {
    const name = `${prefix}${category.charAt(0).toUpperCase()}${category.slice(1)}`;
    const kind = { description: 'The category of the counters.', enum: [category], example: category };
    return createModel(`${name}StatisticsRow`, { category: kind, ...propertiesOf(category, name) }, base);
  });
  const oneOf = models.map((model) => ({ $ref: getSchemaPath(model) }));
  const mapping = Object.fromEntries(oneOf.map(({ $ref }, index) => [String(statisticsCategories[index]), $ref]));
  const union = createModel(`${prefix || 'Player'}StatisticsRow`, {});
  ApiExtraModels(...models)(union);
  // The undefined entries replace those that @nestjs/swagger sets for a class.
  const schema = {
    type: undefined,
    properties: undefined,
    oneOf,
    discriminator: { propertyName: 'category', mapping },
  };
  ApiSchema({ name: union.name, ...schema })(union);
  return union as Type<T>;
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
export const SentStatisticsRow = createRow('Sent', SentRow, (category, name) => ({
  stats: {
    description: 'The counters of the category. Omitted counters and `null` are not tracked.',
    type: createModel(`${name}Counters`, countersOf(category, false)),
  },
}));

export const PlayerStatisticsRow = createRow('', ResponseDto(PlayerStatistics), (category, name) => ({
  stats: { type: createModel(`${name}Counters`, countersOf(category, true)) },
  derived: { type: createModel(`${name}Derived`, derivedOf(category)) },
}));
