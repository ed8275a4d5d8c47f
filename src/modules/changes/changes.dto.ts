import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CursorField } from '../../http/paging.js';
import { capitalize, createUnion, type Properties } from '../../validation/union.js';
import { ChoiceListField, NumberField } from '../../validation/fields.js';
import { ChangedBy } from '../../records/changed-by.js';
import { PlayerResponse } from '../players/player.dto.js';
import { ScheduleResponse } from '../schedules/schedule.dto.js';
import { SeasonResponse } from '../seasons/season.dto.js';
import { TeamResponse } from '../teams/team.dto.js';
import { type ChangeKind, changeKinds, type RecordResponse } from './change.schema.js';

const id = '6650f1f77bcf86cd79943951';
const time = '2027-02-01T09:00:00.000Z';

export class ChangesQuery {
  @CursorField('The `nextCursor` of the previous response, with the same `kinds`. Omit to read all records.')
  cursor?: string;

  @NumberField({ description: 'The number of changes per page.', minimum: 1, maximum: 100, query: true, default: 100 })
  limit = 100;

  @ChoiceListField({
    description: 'List only these kinds, separated by commas or as repeated parameters. Omit to list all.',
    choices: changeKinds,
    enumName: 'ChangeKind',
  })
  kinds?: ChangeKind[];
}

export class ChangeFields {
  kind!: ChangeKind;

  @ApiProperty({ description: 'The ID of the record; for `playerStatistics` the ID of the schedule.', example: id })
  id!: string;

  @ApiPropertyOptional({ type: String, description: 'Your own ID of the record, if it has one.', example: 'player-17' })
  externalId?: string | undefined;

  @ApiPropertyOptional({
    type: String,
    description: 'The team of a player, or the owning team of a schedule.',
    example: id,
  })
  teamId?: string | undefined;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The revision of a record of any other kind than `playerStatistics`.',
    example: 7,
  })
  revision?: number | undefined;

  @ApiProperty({ description: 'Whether the record was deleted.', example: false })
  deleted!: boolean;

  @ApiPropertyOptional({ type: ChangedBy, description: 'Who made this change; omitted for statistics.' })
  changedBy?: ChangedBy | undefined;

  @ApiProperty({ type: String, format: 'date-time', description: 'When the record was changed.', example: time })
  changedAt!: string;

  record?: RecordResponse;
}

const kind = { name: 'kind', description: 'The kind of record.', values: changeKinds };
const description = 'The record, as in the responses of its own routes. Omitted if it was deleted.';
const recordTypes: Record<ChangeKind, Properties[string]> = {
  season: { type: SeasonResponse, description },
  team: { type: TeamResponse, description },
  player: { type: PlayerResponse, description },
  schedule: { type: ScheduleResponse, description },
  playerStatistics: {
    type: 'object',
    additionalProperties: true,
    description: 'Always omitted: read the statistics.',
    example: {},
  },
};

export const ChangeResponse = createUnion('ChangeResponse', ChangeFields, kind, (value) => {
  const record = { ...recordTypes[value], required: false } as Properties[string];
  return { name: `${capitalize(value)}Change`, properties: { record } };
});
export type ChangeResponse = ChangeFields;

export class ChangesResponse {
  @ApiProperty({ type: [ChangeResponse], description: 'The changes on this page, in the order of their commits.' })
  data!: ChangeResponse[];

  @ApiProperty({
    description: 'The cursor of the following changes; send it as `cursor` within 30 days. Present on every page.',
    example: 'MTgwOTE2NTYwMDAwMC42NWQ1ZTg4MDAwMDAwMDAxfi5kOGRjNWU4MGE2ZDk0YjU3',
  })
  nextCursor!: string;

  @ApiProperty({ description: 'Whether there are more changes now.', example: false })
  hasMore!: boolean;
}
