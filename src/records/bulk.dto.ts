import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty } from 'class-validator';
import { type FieldProblem, type ServiceError } from '../errors/service-error.js';
import { OmitDto } from '../validation/dto.js';
import { field } from '../validation/field.js';
import { BooleanField } from '../validation/fields.js';
import { ExternalIdField } from '../validation/ids.js';
import { capitalize, createUnion, type Properties } from '../validation/union.js';
import { externalIdOptions } from './synced-record.schema.js';

const maxRows = 100;
const notRows = { message: `must be an array of 1 to ${maxRows} rows` };

/** A bulk request without its rows, each of which is validated separately. */
export class BulkShell {
  @field(
    {
      description: `The records, 1 to ${maxRows}. Each is created, updated if the \`externalId\` exists, or deleted.`,
      required: true,
    },
    { schema: { type: Object, minItems: 1, maxItems: maxRows } },
    ArrayNotEmpty(notRows),
    ArrayMaxSize(maxRows, notRows),
  )
  rows!: readonly unknown[];

  @BooleanField({ description: 'Returns what would happen, without writing.', default: false, example: false })
  dryRun = false;
}

/** Returns the class of a bulk request with rows of a class, for the OpenAPI document. */
export function BulkDto(row: Type<object>): Type<BulkShell> {
  class Dto extends BulkShell {}
  ApiProperty({ type: [row] })(Dto.prototype, 'rows');
  return Dto;
}

/**
 * Returns the class of a row: an upsert whose external ID is required, or a deletion.
 * @param others what a deletion has, too
 */
export function RowDto<U extends { externalId?: unknown }>(upsert: Type<U>, others = '`externalId`') {
  class Dto extends OmitDto(upsert as Type<{ externalId?: unknown }>, 'externalId') {
    @ExternalIdField({ ...externalIdOptions, required: true })
    externalId!: string;

    @BooleanField({
      description: `\`true\` deletes the record. Such a row has no other field than ${others}.`,
      example: false,
    })
    delete?: boolean;
  }
  return Dto as unknown as Type<Row<U>>;
}

/** A valid upsert or deletion. */
export type Row<U> = U & { externalId: string; delete?: boolean };

/** A row of a bulk request: a valid one, or the error with which it fails. */
export interface ParsedRow<U> {
  readonly externalId?: string;
  readonly row?: Row<U> | undefined;
  /** The fields that name its parent, of rows over several parents. */
  readonly parent?: Readonly<Record<string, string>>;
  /** The deletion that frees the external ID of this row. */
  readonly after?: Row<U>;
  readonly error?: ServiceError;
}

/** A bulk request as `BulkPipe` returns it. */
export interface BulkRequest<U> {
  readonly rows: readonly ParsedRow<U>[];
  readonly dryRun: boolean;
}

const rowResults = ['created', 'updated', 'unchanged', 'deleted', 'failed'] as const;
const movingResults = [...rowResults, 'moved'] as const;
type RowResult = (typeof movingResults)[number];

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

/** What a partner should know about a record that was written. */
export class Warning {
  @ApiProperty({
    enum: ['sameGame'],
    example: 'sameGame',
    description: '`sameGame`: another game of the same teams starts at the same time.',
  })
  code!: 'sameGame';

  @ApiProperty({ description: 'A human-readable message.', example: 'Another game of these teams starts at that time' })
  message!: string;

  @ApiProperty({ description: 'The ID of the other game.', example: '6650f1f77bcf86cd79943961' })
  scheduleId!: string;
}

class RowFields {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'The index of the row in the request.', example: 0 })
  index!: number;

  @ApiProperty({ required: false, description: 'Omitted if the row has no valid one.', example: 'erp-4711' })
  externalId?: string;

  result!: RowResult;
  _id?: string;
  revision?: number;
  warnings?: readonly Warning[];
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
const warnings = { type: Warning, isArray: true, required: false, description: 'Only of games.' } as const;
const propertiesOf: Record<RowResult, Properties> = {
  created: { ...recordOf('in a dry run'), warnings },
  updated: { ...recordOf(), warnings },
  unchanged: { ...recordOf('if there was no record to delete'), warnings },
  deleted: recordOf(),
  moved: recordOf(),
  failed: { error: { type: RowError, description: 'Why the row failed.' } },
};

function createRowResponse(name: string, values: readonly RowResult[]): Type<RowFields> {
  const result = { name: 'result', description: 'What happened to the row.', values };
  return createUnion(name, RowFields, result, (value) => {
    return { name: `${capitalize(value)}Row`, properties: propertiesOf[value] };
  });
}

/** What happened to a row. */
export const BulkRowResponse = createRowResponse('BulkRowResponse', rowResults);
export type BulkRowResponse = RowFields;
const MovingRowResponse = createRowResponse('MovingRowResponse', movingResults);

function SummaryProperty(results: readonly RowResult[]): PropertyDecorator {
  return ApiProperty({
    type: 'object',
    description: 'The number of rows with each result.',
    properties: Object.fromEntries(results.map((result) => [result, { type: 'integer', minimum: 0 }])),
    required: [...results],
    additionalProperties: false,
    example: Object.fromEntries(results.map((result) => [result, result === 'created' ? 1 : 0])),
  });
}

const rowsDescription = 'One result per row, in the order of the request.';

export class BulkResponse {
  @ApiProperty({ type: [BulkRowResponse], description: rowsDescription })
  data!: BulkRowResponse[];

  @SummaryProperty(rowResults)
  summary!: Readonly<Record<string, number>>;

  @ApiProperty({ description: 'Whether the request was a dry run.', example: false })
  dryRun!: boolean;
}

/** The response to a bulk request whose rows can move records. */
export class MovingBulkResponse extends BulkResponse {
  @ApiProperty({ type: [MovingRowResponse], description: rowsDescription })
  override data!: BulkRowResponse[];

  @SummaryProperty(movingResults)
  override summary!: Readonly<Record<string, number>>;
}
