import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { invalidFields, ServiceError, type FieldProblem, unknownField } from '../errors/service-error.js';
import { acceptedInput } from './accepted-input.js';
import { splitInput } from './declared-fields.js';
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
    const raw: object = value ?? {};
    const accepted = acceptedInput(metatype as Type<object>, raw);
    if (accepted !== undefined) return accepted;
    const { declared, unknown } = splitInput(metatype as Type<object>, raw);
    const input = plainToInstance(metatype as Type<object>, declared);
    const errors = validateSync(input, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
    const own = errors.flatMap(ownRefusals)[0];
    if (own !== undefined) throw own;
    const problems = [...unknown, ...errors.flatMap((error) => problemsOf(error))];
    if (problems.length > 0) throw invalidFields(withoutRepeats(problems));
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

/** Two constraints may report the same problem, such as "must be an object". */
function withoutRepeats(problems: readonly FieldProblem[]): FieldProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()];
}

function ownRefusals(error: ValidationError): ServiceError[] {
  return Object.values(contextsOf(error)).flatMap((context) =>
    context?.entry === undefined ? [] : [new ServiceError(context.entry)],
  );
}

function contextsOf(error: ValidationError): Record<string, ConstraintContext | undefined> {
  return error.contexts ?? {};
}
