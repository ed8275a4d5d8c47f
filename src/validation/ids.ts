import { Param } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import { ApiErrors } from '../access/access.decorators.js';
import type { ErrorName } from '../errors/error-catalogue.js';
import { invalidField } from '../errors/service-error.js';
import { field, type FieldOptions } from './field.js';
import { isRecordId } from './fields.js';
import { oneOf, Rule } from './rules.js';

const externalId = /^[A-Za-z0-9._:~@-]{1,128}$/;
const externalIdSchema = { type: 'string', minLength: 1, maxLength: 128, pattern: externalId.source } as const;

export function externalIdProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (!externalId.test(value)) return 'must have 1 to 128 characters of A-Z a-z 0-9 . _ : ~ @ -';
  // As the last part of a path, these are steps to another path.
  return value === '.' || value === '..' ? 'must not be . or ..' : undefined;
}

/** A partner's own ID of a record. */
export function ExternalIdField(options: FieldOptions): PropertyDecorator {
  return field(options, { schema: externalIdSchema, stored: 'String' }, Rule('isExternalId', externalIdProblem));
}

/** The partner's own ID of a team, instead of its ID in the field `instead`. */
export function TeamExternalIdField(instead: string, description: string, example = 'club-7'): PropertyDecorator {
  const problem = (value: unknown, sent: Readonly<Record<string, unknown>>) =>
    sent[instead] === undefined ? externalIdProblem(value) : `must be omitted if ${instead} is sent`;
  return field({ description, example }, { schema: externalIdSchema }, Rule('isTeam', problem));
}

/**
 * Injects a record ID of the path in lower case, and describes it in the OpenAPI document.
 * @param options.plural the collection in whose paths partners can use their own ID, which a malformed ID may be
 * @param options.unknown the error of an unknown ID, which the route then declares
 */
export function RecordIdParam(
  name: string,
  description: string,
  example: string,
  { plural, unknown }: { readonly plural?: string; readonly unknown?: ErrorName } = {},
): ParameterDecorator {
  const hint = plural === undefined ? '' : `; with your own ID, use …/${plural}/by-external-id/{externalId}`;
  const problemOf = (id: string) => (isRecordId(id) ? undefined : `must be an ID of 24 hexadecimal digits${hint}`);
  return PathParam({ name, description, example }, problemOf, { convert: (id) => id.toLowerCase(), unknown });
}

/** Injects the partner's own ID of the path, and describes it in the OpenAPI document. */
export function ExternalIdParam(): ParameterDecorator {
  const schema = { ...externalIdSchema, example: 'erp-4711' };
  return PathParam({ name: 'externalId', description: 'Your own ID of the record.', schema }, externalIdProblem);
}

/** Injects one of a fixed set of strings of the path, and describes it in the OpenAPI document. */
export function ChoiceParam(
  name: string,
  description: string,
  choices: readonly string[],
  enumName: string,
): ParameterDecorator {
  return PathParam({ name, description, enum: [...choices], enumName }, oneOf(choices));
}

function PathParam(
  options: ApiParamOptions & { readonly name: string },
  problemOf: (value: string) => string | undefined,
  { convert, unknown }: { readonly convert?: (value: string) => string; readonly unknown?: ErrorName | undefined } = {},
): ParameterDecorator {
  const transform = (value: string): string => {
    const problem = problemOf(value);
    if (problem !== undefined) throw invalidField(options.name, `${options.name} ${problem}`);
    return convert?.(value) ?? value;
  };
  return (target, method = '', index) => {
    const route = { value: Reflect.get(target, method) as unknown };
    Param(options.name, { transform })(target, method, index);
    ApiParam(options)(target, method, route);
    if (unknown !== undefined) ApiErrors(unknown)(target, method, route);
  };
}
