import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CursorDto, CursorField, defaultLimit, LimitField } from '../../http/paging.js';
import { ChangedBy } from '../../records/changed-by.js';
import { ChoiceParam, RecordIdParam } from '../../validation/ids.js';
import { type HistoryAction, historyActions, historyKinds } from './history.schema.js';

export const HistoryKindParam = () => ChoiceParam('kind', 'The kind of record.', historyKinds, 'HistoryKind');
export const HistoryRecordId = () => RecordIdParam('id', 'The ID of the record.', '6650f1f77bcf86cd79943931');

export class HistoryQuery {
  @CursorField()
  cursor?: string;

  @LimitField('The number of changes per page.')
  limit = defaultLimit;
}

/** Any value that a field of a record can have, and null. A list of types would not compile in clients for Java. */
const anyValue = { nullable: true, allOf: [{}] };

export class FieldChange {
  @ApiProperty({ description: 'The name of the field, as in the responses with the record.', example: 'startDate' })
  field!: string;

  @ApiPropertyOptional({
    ...anyValue,
    description:
      'The value before, or null if there was none. Omitted on creation, and if the value is older than the history or a change before was lost.',
    example: '2027-05-01T10:00:00.000Z',
  })
  from?: unknown;

  @ApiPropertyOptional({
    ...anyValue,
    description: 'The value since this change; null if the field was cleared.',
    example: '2027-05-01T14:00:00.000Z',
  })
  to?: unknown;
}

export class HistoryEntry {
  @ApiProperty({ type: 'integer', description: 'The revision that the change gave the record.', example: 7 })
  revision!: number;

  @ApiProperty({ description: 'When the record was changed.', example: '2027-02-01T09:00:00.000Z' })
  at!: Date;

  @ApiPropertyOptional({ type: ChangedBy, description: 'Who made the change.' })
  changedBy?: ChangedBy | undefined;

  @ApiProperty({
    description: 'What happened to the record. `moved`: the player changed teams.',
    enum: historyActions,
    enumName: 'HistoryAction',
    example: 'updated',
  })
  action!: HistoryAction;

  @ApiProperty({
    type: [FieldChange],
    description: 'The fields that have another value. Of a new record all that have one; often none of a deletion.',
  })
  changes!: FieldChange[];
}

export class HistoryResponse extends CursorDto(HistoryEntry, 'The changes on this page, newest first.') {}
