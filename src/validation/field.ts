import { applyDecorators, type Type } from '@nestjs/common';
import { Prop } from '@nestjs/mongoose';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as TypeOf } from 'class-transformer';
import { NotEquals, ValidateIf } from 'class-validator';
import 'reflect-metadata';

/** The options of a field in a request class or in the class of a resource. */
export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** In a resource: the example in create requests, if it differs, such as for a unique field. */
  readonly createExample?: unknown;
  /** The request must send the field; in a resource, every record has it and a create request must send it. */
  readonly required?: boolean;
  /** In a request class: the field is required unless the request sends this one. */
  readonly requiredUnless?: string;
  /** In a request class: the value of an omitted field, which the property's initializer sets. */
  readonly default?: string | number | boolean;
  /** In a resource: the value of a field that a create request omits. */
  readonly createDefault?: string | number | boolean;
  /** In a resource: `null` in an update clears the field. */
  readonly clearable?: boolean;
  /** In a resource: no update changes the stored field. */
  readonly immutable?: boolean;
  /** In a resource: the value in responses of records without the field. */
  readonly ifMissing?: unknown;
  /** In a resource: the description and example in responses, if they differ from those in requests. */
  readonly response?: { readonly description?: string; readonly example?: unknown };
}

/** How a field is stored: the name of its Mongoose type. */
type StoredType = 'Boolean' | 'Date' | 'Mixed' | 'Number' | 'ObjectId' | 'String';

/** What the fields of a kind have in common, except their rules. */
interface FieldKind {
  /** Converts a sent value, or returns it unchanged if it cannot. `input` is the object in which it was sent. */
  readonly convert?: (sent: unknown, input: Readonly<Record<string, unknown>>) => unknown;
  readonly schema: ApiPropertyOptions;
  readonly stored?: StoredType | readonly [StoredType];
  /** The class of one object, not of a list, that has fields of its own. */
  readonly nested?: Type<object>;
}

export type FieldDefinition = FieldKind & FieldOptions;

const fieldsKey = Symbol('fields');

type Fields = ReadonlyMap<string, FieldDefinition>;

/**
 * Declares one property of a class for its four readers: the rules of class-validator, the conversion of
 * class-transformer, the OpenAPI document and Mongoose. Mapped classes and responses are derived from its options.
 * @param rules decorators of class-validator, of which the first that fails names the problem: the end of a sentence
 */
export function field(options: FieldOptions, kind: FieldKind, ...rules: PropertyDecorator[]): PropertyDecorator {
  const { nested, stored, convert = (sent: unknown) => sent } = kind;
  return applyDecorators(
    rememberField({ ...options, ...kind }),
    ApiProperty(describeField(options, kind.schema)),
    // Of the value as it was sent: class-transformer has replaced it with a copy that lacks some keys.
    nested
      ? TypeOf(() => nested)
      : Transform(({ obj, key }) => convert((obj as Record<string, unknown>)[key], obj as Record<string, unknown>)),
    ...requirementOf(options),
    NotEquals(null, { message: 'must not be null' }),
    ...rules,
    ...(stored === undefined ? [] : [Prop({ type: stored, immutable: options.immutable ?? false })]),
  );
}

function requirementOf({ required, requiredUnless: other }: FieldOptions): PropertyDecorator[] {
  const isRequired = NotEquals(undefined, { message: 'is required' });
  if (other === undefined) return [required === true ? isRequired : IfSent()];
  const applies = (sent: Record<string, unknown>, value: unknown) => value !== undefined || sent[other] === undefined;
  return [isRequired, ValidateIf(applies)];
}

/** Applies the rules of a property only if the request sends it. */
export const IfSent = () => ValidateIf((_input, value) => value !== undefined);

/** Applies the rules of a property only to other values than `null`. */
export const UnlessNull = () => ValidateIf((_input, value) => value !== null);

function describeField({ description, example, required = false, default: value }: FieldOptions, schema: object) {
  return { description, example, ...schema, required, ...(value !== undefined && { default: value }) };
}

function rememberField(definition: FieldDefinition): PropertyDecorator {
  return (target, property) => {
    const fields = new Map([...fieldsOfPrototype(target), [String(property), definition]]);
    Reflect.defineMetadata(fieldsKey, fields, target);
  };
}

const fieldsOfPrototype = (prototype: object): Fields =>
  (Reflect.getOwnMetadata(fieldsKey, prototype) as Fields | undefined) ?? new Map();

const knownFields = new WeakMap<Type<object>, Fields>();

/** Returns the options of the fields of a class by name, its own before the inherited ones. */
export function fieldsOf(type: Type<object>): Fields {
  const known = knownFields.get(type);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldDefinition>();
  for (const [name, definition] of fieldsByClass(type).flatMap((own) => [...own]))
    if (!fields.has(name)) fields.set(name, definition);
  knownFields.set(type, fields);
  return fields;
}

/** Returns the options of the fields of a class, and those of each class that it extends. */
export function fieldsByClass(type: Type<object>): Fields[] {
  const parent = Object.getPrototypeOf(type) as Type<object>;
  const inherited = parent === Function.prototype ? [] : fieldsByClass(parent);
  return [fieldsOfPrototype(type.prototype as object), ...inherited];
}

const resourceKey = Symbol('resource');

/** Declares the fields of a derived class, and the resource that it changes. */
export function declareFields(
  type: Type<object>,
  fields: Iterable<readonly [string, FieldDefinition]>,
  changed?: Type<object>,
): void {
  Reflect.defineMetadata(fieldsKey, new Map(fields), type.prototype as object);
  Reflect.defineMetadata(resourceKey, changed, type);
}

/** Returns the resource that a class changes; undefined for classes of other requests. */
export function resourceOf(type: Type<object>): Type<object> | undefined {
  return Reflect.getMetadata(resourceKey, type) as Type<object> | undefined;
}
