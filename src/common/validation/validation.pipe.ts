import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { invalidFields, ServiceError, type FieldProblem, unknownField } from '../errors/service-error.js';
import { hiddenKeys, withoutPrototypeKeys } from './hidden-keys.js';
import type { ConstraintContext } from './field.js';

const primitives: readonly unknown[] = [String, Number, Boolean, Array, Object];

/**
 * Validates bodies and queries once, at the edge: unknown fields are refused by name, every problem is reported at
 * once. Answers with an instance of the parameter's class.
 * @throws ServiceError 40001, or the refusal of a constraint that has one of its own
 */
@Injectable()
export class InputValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (metatype === undefined || primitives.includes(metatype) || type === 'custom') return value;
    const raw = value ?? {};
    const input = plainToInstance(metatype as Type<object>, withoutPrototypeKeys(raw));
    const errors = validateSync(input, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
    const own = errors.flatMap(ownRefusals)[0];
    if (own !== undefined) throw own;
    const problems = [...hiddenKeys(raw, input), ...errors.flatMap((error) => problemsOf(error))];
    if (problems.length > 0) throw invalidFields(problems.filter(isFirstOfItsKind));
    return input;
  }
}

/** A nested field is written `creator.email`; every message begins with its field. */
function problemsOf(error: ValidationError, prefix = ''): FieldProblem[] {
  const field = `${prefix}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([constraint, message]) =>
    constraint === 'whitelistValidation' ? unknownField(field) : { field, message: `${prefix}${message}` },
  );
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

/** Two constraints may say the same of a field, as «an object» and «a nested object». */
function isFirstOfItsKind(problem: FieldProblem, index: number, all: readonly FieldProblem[]): boolean {
  return all.findIndex(({ field, message }) => field === problem.field && message === problem.message) === index;
}

function ownRefusals(error: ValidationError): ServiceError[] {
  const contexts = error.contexts as Record<string, ConstraintContext> | undefined;
  return Object.values(contexts ?? {}).flatMap(({ entry }) => (entry === undefined ? [] : [new ServiceError(entry)]));
}
