import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { invalidFields, ServiceError, type FieldProblem, unknownField } from '../errors/service-error.js';
import { hiddenKeys, withoutPrototypeKeys } from './hidden-keys.js';
import { acceptedInput } from './accepted-input.js';
import type { ConstraintContext, EntryProblem } from './field.js';

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
    const accepted = acceptedInput(metatype as Type<object>, raw);
    if (accepted !== undefined) return accepted;
    const input = plainToInstance(metatype as Type<object>, withoutPrototypeKeys(raw));
    const errors = validateSync(input, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
    const own = errors.flatMap(ownRefusals)[0];
    if (own !== undefined) throw own;
    const problems = [...hiddenKeys(raw, input), ...errors.flatMap((error) => problemsOf(error))];
    if (problems.length > 0) throw invalidFields(problems.filter(isFirstOfItsKind));
    return input;
  }
}

/** A nested field is written `creator.email`, an entry of a list `scopes[1]`; every message begins with its field. */
function problemsOf(error: ValidationError, prefix = ''): FieldProblem[] {
  const field = `${prefix}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).flatMap(([constraint, message]) => {
    if (constraint === 'whitelistValidation') return [unknownField(field)];
    const ofEntries = contextsOf(error)[constraint]?.entryProblems?.(error.value);
    return ofEntries?.map((entry) => entryProblem(field, entry)) ?? [{ field, message: `${prefix}${message}` }];
  });
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

function entryProblem(list: string, { index, problem }: EntryProblem): FieldProblem {
  const field = `${list}[${index}]`;
  return { field, message: `${field} ${problem}` };
}

/** Two constraints may say the same of a field, as «an object» and «a nested object». */
function isFirstOfItsKind(problem: FieldProblem, index: number, all: readonly FieldProblem[]): boolean {
  return all.findIndex(({ field, message }) => field === problem.field && message === problem.message) === index;
}

function ownRefusals(error: ValidationError): ServiceError[] {
  return Object.values(contextsOf(error)).flatMap((context) =>
    context?.entry === undefined ? [] : [new ServiceError(context.entry)],
  );
}

function contextsOf(error: ValidationError): Record<string, ConstraintContext | undefined> {
  return error.contexts ?? {};
}
