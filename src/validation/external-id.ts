import { Injectable, type PipeTransform } from '@nestjs/common';
import { invalidField } from '../errors/service-error.js';
import { Field, type FieldOptions } from './field.js';

const pattern = '^[A-Za-z0-9._:~@-]{1,128}$';

/** The OpenAPI schema of a partner's own ID. */
export const externalIdSchema = { type: 'string', minLength: 1, maxLength: 128, pattern } as const;

/** Returns what is wrong with a partner's own ID as the end of a sentence, or undefined. */
export function externalIdProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return new RegExp(pattern).test(value) ? undefined : 'must have 1 to 128 characters of A-Z a-z 0-9 . _ : ~ @ -';
}

/** A partner's own ID of a record. */
export function ExternalIdField(options: FieldOptions): PropertyDecorator {
  return Field({ ...options, problem: externalIdProblem, schema: externalIdSchema, stored: 'String' });
}

/**
 * Validates the partner's own ID in a path.
 * @throws ServiceError 40001
 */
@Injectable()
export class ExternalIdPipe implements PipeTransform {
  transform(value: unknown): string {
    const problem = externalIdProblem(value);
    if (problem !== undefined) throw invalidField('externalId', `externalId ${problem}`);
    return String(value);
  }
}
