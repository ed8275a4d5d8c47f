import type { Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { statisticsCategories, type StatisticsCategory, statisticsTable } from './rules/statistics-table.js';

/** The OpenAPI models of the counters and derived values of each category, generated from the table. */

type Properties = [name: string, options: object][];

function countersOf(category: StatisticsCategory, required: boolean): Properties {
  return Object.entries(statisticsTable[category].counters).map(([name, { step, description, ...range }]) => {
    const number = step === 1 ? { type: 'integer' } : { type: 'number', multipleOf: step };
    return [name, { ...number, ...range, nullable: true, required, description, example: 1 }];
  });
}

function derivedOf(category: StatisticsCategory): Properties {
  return Object.entries(statisticsTable[category].derived).map(([name, { description }]) => {
    return [name, { type: 'number', nullable: true, required: true, description, example: 1 }];
  });
}

/** Creates a class for each category, such as `QbCounters`, as @nestjs/swagger needs one for a schema. */
function createModels(prefix: string, suffix: string, propertiesOf: (category: StatisticsCategory) => Properties) {
  return statisticsCategories.map((category): Type<object> => {
    const name = `${prefix}${category.charAt(0).toUpperCase()}${category.slice(1)}${suffix}`;
    const model = { [name]: class extends Object {} }[name] ?? Object;
    for (const [property, options] of propertiesOf(category)) ApiProperty(options)(model.prototype, property);
    return model;
  });
}

export const counterModels = createModels('', 'Counters', (category) => countersOf(category, true));
export const sentCounterModels = createModels('Sent', 'Counters', (category) => countersOf(category, false));
export const derivedModels = createModels('', 'Derived', derivedOf);

/** Returns references to models, for a field that has one of their shapes. */
export function referencesTo(models: readonly Type<object>[]): { $ref: string }[] {
  return models.map((model) => ({ $ref: getSchemaPath(model) }));
}
