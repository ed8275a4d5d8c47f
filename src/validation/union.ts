import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, type ApiPropertyOptions, ApiSchema, getSchemaPath } from '@nestjs/swagger';

export type Properties = Record<string, ApiPropertyOptions>;

/** Creates a class with the properties in addition to those of its base, because @nestjs/swagger describes classes. */
export function createModel(name: string, properties: Properties, base: Type<object> = Object): Type<object> {
  const model = { [name]: class extends base {} }[name] ?? Object;
  for (const [property, options] of Object.entries(properties)) ApiProperty(options)(model.prototype, property);
  return model;
}

/**
 * Creates the union of one model for each value of a property: the base, that property, and the properties of the value.
 * @param modelOf the name and the properties of the model of a value
 */
export function createUnion<T extends object, V extends string>(
  name: string,
  base: Type<T>,
  property: { readonly name: string; readonly description: string; readonly values: readonly V[] },
  modelOf: (value: V) => { readonly name: string; readonly properties: Properties },
): Type<T> {
  const models = property.values.map((value) => {
    const { name, properties } = modelOf(value);
    const discriminating = { description: property.description, enum: [value], example: value };
    return createModel(name, { [property.name]: discriminating, ...properties }, base);
  });
  const oneOf = models.map((model) => ({ $ref: getSchemaPath(model) }));
  const mapping = Object.fromEntries(oneOf.map(({ $ref }, index) => [String(property.values[index]), $ref]));
  const union = createModel(name, {});
  ApiExtraModels(...models)(union);
  const discriminator = { propertyName: property.name, mapping };
  // The undefined entries replace those that @nestjs/swagger sets for a class.
  ApiSchema({ name, ...{ type: undefined, properties: undefined, oneOf, discriminator } })(union);
  return union as Type<T>;
}

export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
