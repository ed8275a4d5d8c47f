import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import 'reflect-metadata';
import type { ErrorName } from '../errors/error-catalogue.js';
import { isBlank } from './text.js';

/** A JSON object as JSON.parse returns it: `__proto__` can be one of its own keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Keys that can reach an object's prototype in careless code. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns whether a JSON value is an object, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The options of a field in a request class or in the class of a resource. */
export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** In a resource: the example in create requests, if it differs, such as for a unique field. */
  readonly createExample?: unknown;
  /** The request must send the field; in a resource, every record has it and a create request must send it. */
  readonly required?: boolean;
  /** The value if the request omits the field; in a resource, if a create request omits it. */
  readonly default?: string | number | boolean;
  /** The request may send `null`. */
  readonly nullable?: boolean;
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
export type StoredType = 'Boolean' | 'Date' | 'Mixed' | 'Number' | 'ObjectId' | 'String';

/** A kind of field: its conversion, rule, OpenAPI schema and stored type. */
interface FieldKind {
  /** Converts a raw value, or returns it unchanged if it cannot. */
  readonly convert?: (raw: unknown) => unknown;
  /**
   * Returns the problem of a converted value, or one for each invalid entry of an array. It is not called for omitted
   * fields and `null`.
   */
  readonly problem: (value: unknown, input: JsonObject) => Problem;
  readonly schema: ApiPropertyOptions;
  readonly stored?: StoredType | readonly [StoredType];
  /** The class of an object that has fields of its own. */
  readonly nested?: Type<object>;
}

/** What is wrong with a value, as the end of a sentence ("must be …"). Undefined: nothing. */
export type Problem = string | readonly EntryProblem[] | undefined;

export interface EntryProblem {
  readonly index: number;
  readonly problem: string;
}

export type FieldDefinition = FieldKind & FieldOptions;

const fieldsKey = Symbol('fields');
const requirementKey = Symbol('requirement');
const resourceKey = Symbol('resource');

type Fields = ReadonlyMap<string, FieldDefinition>;

const noFields: Fields = new Map();
const fieldsByType = new WeakMap<Type<object>, Fields>();

/** Declares one field of a class: validation, OpenAPI and, in a resource, storage. A field is optional by default. */
export function Field(definition: FieldDefinition): PropertyDecorator {
  return (target, property) => {
    const own = (Reflect.getOwnMetadata(fieldsKey, target) as Fields | undefined) ?? noFields;
    Reflect.defineMetadata(fieldsKey, new Map([...own, [String(property), definition]]), target);
    const { description, example, required = false, default: value, nullable, schema } = definition;
    ApiProperty({
      ...{ description, example, ...schema, required },
      ...(value !== undefined && { default: value }),
      ...(nullable === true && allowNull(schema)),
    } as ApiPropertyOptions)(target, property);
  };
}

/** Allows `null`, in a union through its first type: OpenAPI 3.0 ignores `nullable` beside `oneOf`. */
function allowNull({ oneOf: [first, ...others] = [] }: ApiPropertyOptions): ApiPropertyOptions {
  return first === undefined ? { nullable: true } : { oneOf: [{ ...first, nullable: true }, ...others] };
}

/** Returns the fields of a class by name, its own before the inherited ones. */
export function fieldsOf(type: Type<object>): Fields {
  const known = fieldsByType.get(type);
  if (known !== undefined) return known;
  const own = (Reflect.getOwnMetadata(fieldsKey, type.prototype as object) as Fields | undefined) ?? noFields;
  const parent = Object.getPrototypeOf(type) as Type<object>;
  const inherited = parent === Function.prototype ? [] : [...fieldsOf(parent)].filter(([name]) => !own.has(name));
  const fields = new Map([...own, ...inherited]);
  fieldsByType.set(type, fields);
  return fields;
}

/** A class-level rule: at least one of the fields must have a value. */
interface Requirement {
  readonly fields: readonly string[];
  readonly error: ErrorName;
}

/** Rejects a request in which each of the fields is absent, `null` or blank, with a separate error. */
export function RequiresOneOf(fields: readonly string[], error: ErrorName): ClassDecorator {
  return (target) => Reflect.defineMetadata(requirementKey, { fields, error } satisfies Requirement, target);
}

/** Returns the error of the class's `@RequiresOneOf()` if the request violates it. */
export function missingOneOf(type: Type<object>, raw: JsonObject): ErrorName | undefined {
  const requirement = Reflect.getMetadata(requirementKey, type) as Requirement | undefined;
  return requirement?.fields.every((field) => isMissing(raw[field])) === true ? requirement.error : undefined;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isBlank(value));
}

/** Declares the resource that an update class changes: its other fields are rejected as unchangeable. */
export function Updates(resource: Type<object>): ClassDecorator {
  return (target) => Reflect.defineMetadata(resourceKey, resource, target);
}

/** Returns whether a class updates a resource that has the field. */
export function isUnchangeable(type: Type<object>, field: string): boolean {
  const resource = Reflect.getMetadata(resourceKey, type) as Type<object> | undefined;
  return resource !== undefined && fieldsOf(resource).has(field);
}
