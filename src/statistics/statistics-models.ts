import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import { counterRanges } from './rules/definition.js';
import { statisticsCategories, type StatisticsCategory, statisticsTable } from './rules/counters.js';

/** The OpenAPI models of every category's counters and derived values, made from the one table of them. */

type Properties = Record<string, ApiPropertyOptions>;

/** A class of the given name, as @nestjs/swagger wants a schema; it is never instantiated. */
function modelOf(name: string, properties: Properties): Type<object> {
  const model = { [name]: class extends Object {} }[name] ?? Object;
  for (const [property, options] of Object.entries(properties)) ApiProperty(options)(model.prototype, property);
  return model;
}

function countersOf(category: StatisticsCategory, required: boolean): Properties {
  const entries = Object.entries(statisticsTable[category].counters).map(([name, { kind, description }]) => {
    const { minimum, maximum, step } = counterRanges[kind];
    const number = step === 1 ? { type: 'integer' } : { type: 'number', multipleOf: step };
    return [name, { ...number, minimum, maximum, nullable: true, required, description, example: 1 }];
  });
  return Object.fromEntries(entries) as Properties;
}

function derivedOf(category: StatisticsCategory): Properties {
  const entries = Object.entries(statisticsTable[category].derived).map(([name, { description }]) => {
    return [name, { type: 'number', nullable: true, required: true, description, example: 1 }];
  });
  return Object.fromEntries(entries) as Properties;
}

function ofEveryCategory(make: (category: StatisticsCategory, title: string) => Type<object>): Type<object>[] {
  return statisticsCategories.map((category) => make(category, category.charAt(0).toUpperCase() + category.slice(1)));
}

export const counterModels = ofEveryCategory((category, title) =>
  modelOf(`${title}Counters`, countersOf(category, true)),
);
export const sentCounterModels = ofEveryCategory((category, title) =>
  modelOf(`Sent${title}Counters`, countersOf(category, false)),
);
export const derivedModels = ofEveryCategory((category, title) => modelOf(`${title}Derived`, derivedOf(category)));

/** References to models, for a field that has one of their shapes. */
export function references(models: readonly Type<object>[]): { $ref: string }[] {
  return models.map((model) => ({ $ref: getSchemaPath(model) }));
}
