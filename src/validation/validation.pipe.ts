import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { type FieldProblem, invalidFields, maxDetails, ServiceError, rejectedName } from '../errors/service-error.js';
import {
  type FieldDefinition,
  fieldsOf,
  isJsonObject,
  isUnchangeable,
  type JsonObject,
  missingOneOf,
  type Problem,
  prototypeKeys,
} from './field.js';
import { isBlank } from './text.js';

const primitives: readonly unknown[] = [String, Number, Boolean, Array, Object];

/**
 * Validates bodies and queries once, at the edge, by the fields of the parameter's class: converts values, applies
 * defaults, rejects unknown fields by name and reports all invalid fields together. The work is linear in the size of
 * the input.
 * @throws ServiceError 40001, or the error of the class's `@RequiresOneOf()`
 */
@Injectable()
export class InputValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (metatype === undefined || primitives.includes(metatype) || type === 'custom') return value;
    const raw = (value ?? {}) as JsonObject;
    const missing = missingOneOf(metatype as Type<object>, raw);
    if (missing !== undefined) throw new ServiceError(missing);
    const kind = type === 'query' ? 'parameter' : 'field';
    const { input, problems } = validateInput(metatype as Type<object>, raw, kind);
    if (problems.length > 0) throw invalidFields(problems);
    return input;
  }
}

/** Returns an instance of a class with the converted values of an object, and its problems: it is valid without any. */
export function validateInput<T extends object>(
  type: Type<T>,
  raw: JsonObject,
  kind: Findings['kind'] = 'field',
): { input: T; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  return { input: validate(type, raw, '', { kind, problems }) as T, problems };
}

/** The problems found so far, and what the input consists of. */
interface Findings {
  readonly kind: 'field' | 'parameter';
  readonly problems: FieldProblem[];
}

/** Returns an instance of the class, valid only if no problem was added; `path` is the prefix of a nested object. */
function validate(type: Type<object>, raw: JsonObject, path: string, findings: Findings): object {
  const fields = fieldsOf(type);
  if (fields.size === 0) throw new Error(`${type.name} declares no field, so it cannot validate anything`);
  collectUnknownFields(type, raw, path, findings);
  const { problems } = findings;
  const input = new type() as Record<string, unknown>;
  for (const [name, { convert, default: byDefault }] of fields) {
    const sent = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (sent !== undefined) input[name] = convert === undefined ? sent : convert(sent);
    else if (byDefault !== undefined) input[name] = byDefault;
  }
  for (const [name, field] of fields) {
    const value = input[name];
    if (field.nested !== undefined && isJsonObject(value)) {
      input[name] = validate(field.nested, value, `${path}${name}.`, findings);
    } else {
      const problem = problemOf(field, value, input);
      if (problem !== undefined) collectPrototypeKeys(value, path + name, problems);
      addProblem(problem, path + name, problems);
    }
  }
  return input;
}

function problemOf(field: FieldDefinition, value: unknown, input: JsonObject): Problem {
  const { required, nullable, clearable, problem } = field;
  if (value === undefined) return required === true ? 'is required' : undefined;
  if (value === null) return nullable === true ? undefined : 'must not be null';
  const found = problem(value, input);
  const meansNull = nullable === true && clearable === true && typeof value === 'string' && isBlank(value);
  return meansNull && typeof found === 'string' ? `${found}; send null to clear it` : found;
}

/** Adds the problem of a field, or the problems of the entries of an array by their indexes (`scopes[1]`). */
function addProblem(problem: Problem, field: string, problems: FieldProblem[]): void {
  if (problem === undefined) return;
  if (typeof problem === 'string') problems.push({ field, message: `${field} ${problem}` });
  else for (const entry of problem) addProblem(entry.problem, `${field}[${entry.index}]`, problems);
}

/** Adds a problem for each name that the class does not accept, in the order sent, up to 50. */
function collectUnknownFields(type: Type<object>, raw: JsonObject, path: string, { kind, problems }: Findings): void {
  const fields = fieldsOf(type);
  for (const name of Object.keys(raw)) {
    if (problems.length >= maxDetails) return;
    if (fields.has(name)) continue;
    const reason = isUnchangeable(type, name) ? 'cannot be changed' : `is not a known ${kind}`;
    problems.push(rejectedName(path + name, reason));
    collectPrototypeKeys(raw[name], path + name, problems);
  }
}

/** Adds a problem for each prototype key at any depth of a value without a class, up to 50 problems in total. */
function collectPrototypeKeys(value: unknown, path: string, problems: FieldProblem[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (problems.length >= maxDetails) return;
    const field = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    if (prototypeKeys.has(key)) problems.push(rejectedName(field));
    else collectPrototypeKeys(inner, field, problems);
  }
}
