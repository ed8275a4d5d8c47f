import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type FieldProblem, invalidField, invalidFields, type ServiceError } from '../errors/service-error.js';
import { mapInSteps, runInTurns } from '../http/turns.js';
import { capitalize, createUnion, type Properties } from '../validation/union.js';
import { Field, isJsonObject } from '../validation/field.js';
import { BooleanField } from '../validation/fields.js';
import { externalIdProblem } from '../validation/ids.js';
import { validateInput } from '../validation/validation.pipe.js';

const maxRows = 100;

/** Body of a bulk upsert. Each row is validated separately, so that an invalid one does not affect the others. */
export interface BulkRequest {
  readonly rows: readonly unknown[];
  readonly dryRun: boolean;
}

/** Returns the class of a bulk request with rows of a class, to which it adds the field that deletes a record. */
export function BulkDto(row: Type<object>): Type<BulkRequest> {
  const description = '`true` deletes the record. Such a row has no other field than `externalId`.';
  BooleanField({ description, example: false })(row.prototype as object, 'delete');
  class Dto {
    @Field({
      description: `The records, 1 to ${maxRows}. Each is created, updated if the \`externalId\` exists, or deleted.`,
      required: true,
      problem: (value) =>
        Array.isArray(value) && value.length >= 1 && value.length <= maxRows
          ? undefined
          : `must be an array of 1 to ${maxRows} rows`,
      schema: { type: [row], minItems: 1, maxItems: maxRows },
    })
    rows!: unknown[];

    @BooleanField({ description: 'Returns what would happen, without writing.', default: false, example: false })
    dryRun!: boolean;
  }
  return Dto;
}

/** A valid upsert or deletion. */
export type Row<U> = U & { readonly externalId: string; readonly delete?: boolean };

/** A row of a bulk request: a valid one, or the error with which it fails. */
export interface ParsedRow<U> {
  readonly externalId?: string;
  readonly row?: Row<U>;
  /** The deletion that frees the external ID of this row. */
  readonly after?: Row<U>;
  readonly error?: ServiceError;
}

/** Validates each row separately, in turns. A row that repeats the external ID of an earlier one is invalid, unless that is a deletion. */
export function parseRows<U extends object>(rows: readonly unknown[], type: Type<U>): Promise<ParsedRow<U>[]> {
  const earlier = new Map<string, { readonly index: number; readonly deletion?: Row<U> | undefined }>();
  const parse = (raw: unknown, index: number): ParsedRow<U> => {
    if (!isJsonObject(raw)) return { error: invalidField(`rows[${index}]`, 'A row must be an object') };
    const { input, problems } = validateInput(type, raw);
    const externalId = raw['externalId'];
    if (typeof externalId !== 'string' || externalIdProblem(externalId) !== undefined)
      return { error: invalidFields(problems) };
    const { delete: isDeletion, ...fields } = input as Row<U>;
    const row = (isDeletion === true ? { externalId, delete: true } : fields) as Row<U>;
    const others = isDeletion ? Object.keys(raw).filter((name) => name !== 'externalId' && name !== 'delete') : [];
    problems.push(...others.map((field) => ({ field, message: `${field} must be omitted if delete is true` })));
    const { index: first, deletion: after } = earlier.get(externalId) ?? {};
    // At most two rows, so that the number of commands does not depend on the rows.
    if (first !== undefined && (after === undefined || isDeletion))
      return { externalId, error: invalidField('externalId', `externalId repeats row ${first}`) };
    earlier.set(externalId, { index, deletion: isDeletion && problems.length === 0 ? row : undefined });
    if (problems.length > 0) return { externalId, error: invalidFields(problems) };
    return { externalId, row, ...(after && { after }) };
  };
  return runInTurns(mapInSteps(rows, parse));
}

const rowResults = ['created', 'updated', 'unchanged', 'deleted', 'failed'] as const;
export type RowResult = (typeof rowResults)[number];

/** Why a row failed, as in the error response of a single request. */
export class RowError {
  @ApiProperty({ type: 'integer', description: 'The error code.', example: 40001 })
  error!: number;

  @ApiProperty({ description: 'A human-readable message.', example: 'name is required to create the record' })
  message!: string;

  @ApiProperty({
    type: 'array',
    items: { $ref: '#/components/schemas/FieldProblem' },
    required: false,
    description: 'All invalid fields of the row; with `40301`, the field of the team.',
  })
  details?: readonly FieldProblem[];
}

class RowFields {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'The index of the row in the request.', example: 0 })
  index!: number;

  @ApiProperty({ required: false, description: 'Omitted if the row has no valid one.', example: 'erp-4711' })
  externalId?: string;

  result!: RowResult;
  _id?: string;
  revision?: number;
  error?: RowError;
}

const recordOf = (omitted?: string): Properties => {
  const required = omitted === undefined;
  const when = required ? '' : ` Omitted ${omitted}.`;
  return {
    _id: { type: String, description: `The ID of the record.${when}`, example: '6650f1f77bcf86cd79943951', required },
    revision: { type: 'integer', description: `The revision of the record.${when}`, minimum: 1, example: 2, required },
  };
};
const propertiesOf: Record<RowResult, Properties> = {
  created: recordOf('in a dry run'),
  updated: recordOf(),
  unchanged: recordOf('if there was no record to delete'),
  deleted: recordOf(),
  failed: { error: { type: RowError, description: 'Why the row failed.' } },
};
const result = { name: 'result', description: 'What happened to the row.', values: rowResults };

/** What happened to a row. */
export const BulkRowResponse = createUnion('BulkRowResponse', RowFields, result, (value) => {
  return { name: `${capitalize(value)}Row`, properties: propertiesOf[value] };
});
export type BulkRowResponse = RowFields;

export class BulkResponse {
  @ApiProperty({ type: [BulkRowResponse], description: 'One result per row, in the order of the request.' })
  data!: BulkRowResponse[];

  @ApiProperty({
    type: 'object',
    description: 'The number of rows with each result.',
    properties: Object.fromEntries(rowResults.map((result) => [result, { type: 'integer', minimum: 0 }])),
    required: [...rowResults],
    additionalProperties: false,
    example: { created: 1, updated: 0, unchanged: 0, deleted: 0, failed: 0 },
  })
  summary!: Record<RowResult, number>;

  @ApiProperty({ description: 'Whether the request was a dry run.', example: false })
  dryRun!: boolean;
}
