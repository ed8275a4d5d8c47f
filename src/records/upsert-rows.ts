import type { Type } from '@nestjs/common';
import { invalidField, invalidFields, ServiceError } from '../errors/service-error.js';
import { withDefaults } from '../validation/dto.js';
import { fieldsOf, missingOneOf } from '../validation/field.js';
import { externalIdProblem } from '../validation/external-id.js';
import { isJsonObject } from '../validation/json.js';
import { validateInput } from '../validation/validation.pipe.js';

/** A valid upsert. */
export type Row<U> = U & { readonly externalId: string };

type ParsedRow<U> = { readonly externalId?: string } & ({ readonly row: Row<U> } | { readonly error: ServiceError });

/** Validates each row by itself. A row that repeats the external ID of an earlier one is invalid. */
export function parseRows<U extends object>(rows: readonly unknown[], type: Type<U>): ParsedRow<U>[] {
  const firstIndexes = new Map<string, number>();
  return rows.map((raw, index) => {
    if (!isJsonObject(raw)) return { error: invalidField(`rows[${index}]`, 'A row must be an object') };
    const { input, problems } = validateInput(type, raw);
    const externalId = raw['externalId'];
    if (typeof externalId !== 'string' || externalIdProblem(externalId) !== undefined)
      return { error: invalidFields(problems) };
    const first = firstIndexes.get(externalId);
    if (first !== undefined)
      return { externalId, error: invalidField('externalId', `externalId repeats row ${first}`) };
    firstIndexes.set(externalId, index);
    return problems.length > 0 ? { externalId, error: invalidFields(problems) } : { externalId, row: input as Row<U> };
  });
}

/**
 * Returns a create request with the fields of a row, and the defaults of the others. `null` counts as not sent.
 * @throws ServiceError 40001 that names each missing field, or the error of the class's `@RequiresOneOf()`
 */
export function toCreate<C extends object>(type: Type<C>, row: object): C {
  const values = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined && value !== null));
  const missing = missingOneOf(type, values);
  if (missing !== undefined) throw new ServiceError(missing);
  const required = [...fieldsOf(type)].filter(([name, field]) => field.required === true && !(name in values));
  const problems = required.map(([field]) => ({ field, message: `${field} is required to create the record` }));
  if (problems.length > 0) throw invalidFields(problems);
  return withDefaults(type, values as Partial<C>);
}
