import type { Type } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { type FieldProblem, maxDetails, rejectedName } from '../errors/service-error.js';
import { fieldsOf, resourceOf } from './field.js';
import { isBlank } from './text.js';

/** What the input of a request consists of. */
export type InputKind = 'field' | 'parameter';

/** Returns what class-validator found as sentences, each with the path of its field; at most 50 of an object. */
export function problemsOf(errors: readonly ValidationError[], kind: InputKind, path = ''): FieldProblem[] {
  return errors.slice(0, maxDetails).flatMap(({ target, property, value, constraints = {}, children = [] }) => {
    const type = target?.constructor as Type<object>;
    const [rule, message] = Object.entries(constraints)[0] ?? [];
    if (rule === 'unknownValue') throw new Error(`${type.name} declares no field, so it cannot validate anything`);
    const field = path + property;
    if (rule === 'whitelistValidation') return [rejectedName(field, reasonOf(type, property, kind))];
    if (message === undefined) return problemsOf(children, kind, `${field}.`);
    const meansNull = typeof value === 'string' && isBlank(value) && isClearable(type, property);
    const problem = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
    return sentencesOf(field, meansNull ? `${problem}; send null to clear it` : problem);
  });
}

function reasonOf(type: Type<object>, name: string, kind: InputKind): string {
  const resource = resourceOf(type);
  return resource && fieldsOf(resource).has(name) ? 'cannot be changed' : `is not a known ${kind}`;
}

function isClearable(type: Type<object>, name: string): boolean {
  return resourceOf(type) !== undefined && fieldsOf(type).get(name)?.clearable === true;
}

/** Returns the problem of a field, or one for each entry that the message of a list names by its index (`scopes[1]`). */
function sentencesOf(field: string, message: string): FieldProblem[] {
  return message.split('\n').map((line) => {
    const [, index = '', problem = ''] = /^(\[\d+\])? ?(.*)$/.exec(line) ?? [];
    return { field: field + index, message: `${field}${index} ${problem}` };
  });
}
