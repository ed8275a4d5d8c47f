import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { type FieldProblem, maximumDetails, unknownField } from '../errors/service-error.js';
import { nestedTypeOf } from './field.js';

/** A raw body or query, split by what its class declares. */
export interface SplitInput {
  /** The declared fields that were sent. */
  readonly declared: Readonly<Record<string, unknown>>;
  /** The first 50 names that the class does not declare, in the order sent. */
  readonly unknown: readonly FieldProblem[];
}

/**
 * Splits raw input into declared fields and problems of unknown names, in time linear in the input. It runs before
 * class-transformer, whose conversion takes time quadratic in the number of keys and drops names such as `__proto__`.
 */
export function splitInput(type: Type<object>, raw: object, path = ''): SplitInput {
  const names = declaredNamesOf(type);
  const unknown: FieldProblem[] = [];
  for (const [name, value] of Object.entries(raw)) {
    if (unknown.length >= maximumDetails) break;
    if (names.has(name)) continue;
    unknown.push(unknownField(path + name));
    collectPrototypeKeys(value, path + name, unknown);
  }
  const declared: Record<string, unknown> = {};
  for (const name of names) {
    if (!Object.hasOwn(raw, name)) continue;
    const value = (raw as Record<string, unknown>)[name];
    const nested = nestedTypeOf(type, name);
    if (nested !== undefined && isPlainObject(value)) {
      const inner = splitInput(nested, value, `${path}${name}.`);
      declared[name] = inner.declared;
      unknown.push(...inner.unknown);
    } else {
      declared[name] = value;
      collectPrototypeKeys(value, path + name, unknown);
    }
  }
  return { declared, unknown };
}

/** The keys that reach an object's prototype in careless code. */
const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Adds a problem for each such key at any depth of a value that has no class, up to 50 problems in all. */
function collectPrototypeKeys(value: unknown, path: string, problems: FieldProblem[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (problems.length >= maximumDetails) return;
    const field = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    if (prototypeKeys.has(key)) problems.push(unknownField(field));
    else collectPrototypeKeys(inner, field, problems);
  }
}

const namesByType = new WeakMap<Type<object>, ReadonlySet<string>>();

/** The fields that have a validation rule, inherited ones included: what class-validator would put on its whitelist. */
function declaredNamesOf(type: Type<object>): ReadonlySet<string> {
  const known = namesByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  namesByType.set(type, names);
  return names;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
