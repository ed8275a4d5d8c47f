import { type ArgumentMetadata, Param, ParseEnumPipe, type PipeTransform } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import { ApiErrors } from '../access/access.decorators.js';
import type { ErrorName } from '../errors/error-catalogue.js';
import { invalidField } from '../errors/service-error.js';
import { field, type FieldOptions } from './field.js';
import { isRecordId } from './fields.js';
import { Rule } from './rules.js';

const externalId = /^[A-Za-z0-9._:~@-]{1,128}$/;
const externalIdSchema = { type: 'string', minLength: 1, maxLength: 128, pattern: externalId.source } as const;

export function externalIdProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (!externalId.test(value)) return 'must have 1 to 128 characters of A-Z a-z 0-9 . _ : ~ @ -';
  // As the last part of a path, these are steps to another path.
  return value === '.' || value === '..' ? 'must not be . or ..' : undefined;
}

const IsExternalId = () => Rule('isExternalId', externalIdProblem);

/** A partner's own ID of a record. */
export function ExternalIdField(options: FieldOptions): PropertyDecorator {
  return field(options, { schema: externalIdSchema, stored: 'String' }, IsExternalId());
}

/** The partner's own ID of a team, instead of its ID in the field `instead`. */
export function TeamExternalIdField(instead: string, description: string, example = 'club-7'): PropertyDecorator {
  const problem = (value: unknown, sent: Readonly<Record<string, unknown>>) =>
    sent[instead] === undefined ? externalIdProblem(value) : `must be omitted if ${instead} is sent`;
  return field({ description, example }, { schema: externalIdSchema }, Rule('isTeam', problem));
}

/** Validates a path ID of 24 hexadecimal digits and converts it to lower case. */
export class RecordIdPipe implements PipeTransform {
  /** @param plural the collection in whose paths partners can use their own ID, which a malformed ID may be */
  constructor(private readonly plural?: string) {}

  transform(value: unknown, { data = 'id' }: ArgumentMetadata): string {
    if (isRecordId(value)) return value.toLowerCase();
    const hint = this.plural && `; with your own ID, use …/${this.plural}/by-external-id/{externalId}`;
    throw invalidField(data, `${data} must be an ID of 24 hexadecimal digits${hint ?? ''}`);
  }
}

class ExternalIdPipe implements PipeTransform {
  transform(value: unknown): string {
    const problem = externalIdProblem(value);
    if (problem !== undefined) throw invalidField('externalId', `externalId ${problem}`);
    return String(value);
  }
}

/**
 * Injects a record ID of the path, and describes it in the OpenAPI document.
 * @param options.plural that of `RecordIdPipe`
 * @param options.unknown the error of an unknown ID, which the route then declares
 */
export function RecordIdParam(
  name: string,
  description: string,
  example: string,
  { plural, unknown }: { readonly plural?: string; readonly unknown?: ErrorName } = {},
): ParameterDecorator {
  return PathParam(new RecordIdPipe(plural), { name, description, example }, unknown);
}

/** Injects the partner's own ID of the path, and describes it in the OpenAPI document. */
export function ExternalIdParam(): ParameterDecorator {
  const schema = { ...externalIdSchema, example: 'erp-4711' };
  return PathParam(new ExternalIdPipe(), { name: 'externalId', description: 'Your own ID of the record.', schema });
}

/** Injects one of a fixed set of strings of the path, and describes it in the OpenAPI document. */
export function ChoiceParam(
  name: string,
  description: string,
  choices: readonly string[],
  enumName: string,
): ParameterDecorator {
  const exceptionFactory = () => invalidField(name, `${name} must be one of ${choices.join(', ')}`);
  const values = Object.fromEntries(choices.map((choice) => [choice, choice]));
  return PathParam(new ParseEnumPipe(values, { exceptionFactory }), {
    name,
    description,
    enum: [...choices],
    enumName,
  });
}

function PathParam(pipe: PipeTransform, options: ApiParamOptions, unknown?: ErrorName): ParameterDecorator {
  return (target, method = '', index) => {
    const route = { value: Reflect.get(target, method) as unknown };
    Param(options.name, pipe)(target, method, index);
    ApiParam(options)(target, method, route);
    if (unknown !== undefined) ApiErrors(unknown)(target, method, route);
  };
}
