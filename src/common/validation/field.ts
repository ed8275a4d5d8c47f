import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import 'reflect-metadata';
import { Transform, Type as ConvertTo } from 'class-transformer';
import { ValidateIf, registerDecorator, type ValidationArguments } from 'class-validator';
import type { CatalogueEntry } from '../errors/error-catalogue.js';
import { isBlank } from './text.js';

/** What a kind of field is: its conversion, its rule and its description, in one. */
export interface FieldRule {
  /** Turns a raw value into the wanted type; what it cannot turn it hands on as it is. */
  readonly convert?: (raw: unknown) => unknown;
  /** What is wrong with a converted value, as the end of a sentence («must be …»), or undefined. */
  readonly problem: (value: unknown) => string | undefined;
  /** What is wrong with the entries of a list that is right as a whole, in their order. */
  readonly entryProblems?: (value: unknown) => readonly EntryProblem[];
  /** How OpenAPI describes it. */
  readonly schema: ApiPropertyOptions;
}

/** What is wrong with one entry of a list, as the end of a sentence. */
export interface EntryProblem {
  readonly index: number;
  readonly problem: string;
}

/** Under this key @nestjs/swagger keeps what it knows of a property; it exports no name for it. */
const swaggerPropertyKey = 'swagger/apiModelProperties';

/** What a constraint hands to the validation pipe beside its message. */
export interface ConstraintContext {
  /** A refusal of its own, which outranks 40001. */
  readonly entry?: CatalogueEntry;
  /** Asked for every wrong entry of a list, since a message says only one. */
  readonly entryProblems?: (value: unknown) => readonly EntryProblem[];
}

/**
 * Declares one optional input field: conversion, rule and OpenAPI together. A field that is not sent is never
 * wrong; `null` is refused by every rule, unless the class says `@Clearable()`.
 */
export function Field(rule: FieldRule): PropertyDecorator {
  return (target, property) => {
    const { convert, problem, entryProblems } = rule;
    if (convert !== undefined) note(target, property, { convert });
    // Keeps class-transformer from copying objects, which is quadratic in their keys and drops some of them; the
    // transformation below reads the raw value from its source.
    ConvertTo(() => Boolean)(target, property);
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) =>
      convert === undefined ? obj[key] : convert(obj[key]),
    )(target, property);
    constrain(target, property, (value) =>
      value === undefined ? undefined : value === null ? 'must not be null' : problem(value),
    );
    if (entryProblems !== undefined) {
      constrain(target, property, (value) => entryProblems(value)[0]?.problem, { entryProblems });
    }
    describe(target, property, { required: false }, rule.schema);
  };
}

/** Declares that a field must be sent; beside the field's rule, in the class of a create request. */
export function Required(): PropertyDecorator {
  return (target, property) => {
    constrain(target, property, (value) => (value === undefined ? 'is required' : undefined));
    describe(target, property, {}, { required: true });
  };
}

/** Declares what a create request gets where the field is not sent: for OpenAPI; the class's initialiser sets it. */
export function DefaultsTo(value: string | number | boolean): PropertyDecorator {
  return (target, property) => describe(target, property, {}, { default: value });
}

/** Declares that `null` clears the field; in the class of an update request. */
export function Clearable(): PropertyDecorator {
  return (target, property) => {
    ValidateIf((_object, value: unknown) => value !== null)(target, property);
    note(target, property, { isClearable: true });
    describe(target, property, {}, { nullable: true });
  };
}

/** Refuses, with an error of its own, an object in which none of the fields says anything (absent, null or blank). */
export function RequiresOneOf(fields: readonly string[], entry: CatalogueEntry): PropertyDecorator {
  const isMissing = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && isBlank(value));
  return (target, property) => {
    const problem = (_value: unknown, object: object) =>
      fields.every((field) => isMissing((object as Record<string, unknown>)[field])) ? entry.message : undefined;
    constrain(target, property, problem, { entry });
  };
}

/**
 * Adds to what OpenAPI knows of a field, from whichever decorator came first or from the class that it extends: left to
 * itself, Nest would fill in the type that TypeScript wrote for the redeclared property.
 */
export function describe(
  target: object,
  property: string | symbol,
  weaker: ApiPropertyOptions,
  stronger: ApiPropertyOptions,
): void {
  const known = Reflect.getMetadata(swaggerPropertyKey, target, property) as ApiPropertyOptions | undefined;
  ApiProperty({ ...weaker, ...known, ...stronger } as ApiPropertyOptions)(target, property);
}

/** What is wrong with a value of a field in its object, as the end of a sentence, or undefined. */
type Problem = (value: unknown, object: object) => string | undefined;

interface Constraint {
  readonly problem: Problem;
  readonly context: ConstraintContext;
  /** Tells the constraints of one property apart: class-validator keeps one outcome and one context a name. */
  readonly name: string;
}

const constraintsKey = Symbol('constraints');
const namesKey = Symbol('names');
const notesKey = Symbol('notes');

/** What is known of a field beside its constraints. */
interface FieldNotes {
  readonly convert?: (raw: unknown) => unknown;
  readonly isClearable?: boolean;
  /** The class of its value, which has fields of its own. */
  readonly nested?: Type<object>;
}

/** One field of an input class, with all that it inherits. */
export interface InputField extends FieldNotes {
  readonly problems: readonly Problem[];
}

/** The fields of an input class by name; undefined where one of them has fields of its own. */
export function inputFieldsOf(type: Type<object>): ReadonlyMap<string, InputField> | undefined {
  const target = type.prototype as object;
  const names = (Reflect.getMetadata(namesKey, target) ?? []) as readonly string[];
  const fields = names.map((name): [string, InputField] => {
    const constraints = (Reflect.getMetadata(constraintsKey, target, name) ?? []) as readonly Constraint[];
    const notes = Reflect.getMetadata(notesKey, target, name) as FieldNotes | undefined;
    return [name, { ...notes, problems: constraints.map(({ problem }) => problem) }];
  });
  return fields.some(([, { nested }]) => nested !== undefined) ? undefined : new Map(fields);
}

/** The class of a field's value, where that has fields of its own. */
export function nestedTypeOf(type: Type<object>, name: string): Type<object> | undefined {
  return (Reflect.getMetadata(notesKey, type.prototype as object, name) as FieldNotes | undefined)?.nested;
}

/** Notes something of a field, beside what is noted already or is inherited. */
export function note(target: object, property: string | symbol, notes: FieldNotes): void {
  const known = Reflect.getMetadata(notesKey, target, property) as FieldNotes | undefined;
  Reflect.defineMetadata(notesKey, { ...known, ...notes }, target, property);
  nameField(target, String(property));
}

function nameField(target: object, name: string): void {
  const known = (Reflect.getMetadata(namesKey, target) ?? []) as readonly string[];
  if (!known.includes(name)) Reflect.defineMetadata(namesKey, [...known, name], target);
}

/**
 * Adds one constraint to a property; its message is the property's name and the end of the sentence. What the class
 * inherits for the property is registered again: class-validator forgets the parents' constraints of a property that
 * a class constrains itself.
 */
export function constrain(
  target: object,
  property: string | symbol,
  problem: Problem,
  context: ConstraintContext = {},
): void {
  const known = (Reflect.getMetadata(constraintsKey, target, property) ?? []) as readonly Constraint[];
  const isFirstHere = !Reflect.hasOwnMetadata(constraintsKey, target, property);
  const added = { problem, context, name: `constraint${known.length}` };
  for (const constraint of isFirstHere ? [...known, added] : [added]) register(target, String(property), constraint);
  Reflect.defineMetadata(constraintsKey, [...known, added], target, property);
  nameField(target, String(property));
}

function register(target: object, property: string, { problem, context, name }: Constraint): void {
  registerDecorator({
    name,
    target: target.constructor,
    propertyName: property,
    options: { context },
    validator: {
      validate: (value: unknown, args?: ValidationArguments) => problem(value, args?.object ?? {}) === undefined,
      defaultMessage: (args?: ValidationArguments) =>
        `${property} ${problem(args?.value, args?.object ?? {}) ?? 'is wrong'}`,
    },
  });
}
