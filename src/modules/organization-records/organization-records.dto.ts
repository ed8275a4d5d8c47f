import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DataDto } from '../../http/paging.js';
import { maxFound } from '../../records/synced.repository.js';
import { TextField } from '../../validation/fields.js';
import { PlayerResponse } from '../players/player.dto.js';
import { ScheduleResponse } from '../schedules/schedule.dto.js';
import { TeamResponse } from '../teams/team.dto.js';

export class SearchRecordsQuery {
  @TextField({
    description:
      'The ID or the external ID of a record, or the beginning of the name of a team, or of the title of a schedule. Also finds players if each word begins a word of their name, or their email. Case and accents are ignored.',
    max: 255,
    example: 'Bay Hawks',
    required: true,
  })
  search!: string;
}

const found = (kind: string) => `The ${kind} that match: at most ${maxFound} by name, in its order.`;

export class FoundPlayerResponse extends PlayerResponse {
  @ApiPropertyOptional({ type: String, description: 'The name of the team of the player.', example: 'Bay Hawks' })
  teamName?: string | undefined;
}

export class FoundRecordsResponse {
  @ApiProperty({ type: [TeamResponse], description: found('teams') })
  teams!: TeamResponse[];

  @ApiProperty({ type: [FoundPlayerResponse], description: found('players') })
  players!: FoundPlayerResponse[];

  @ApiProperty({ type: [ScheduleResponse], description: found('schedules') })
  schedules!: ScheduleResponse[];
}

export class FoundRecordsDataResponse extends DataDto(FoundRecordsResponse, 'The records that match.') {}

const count = (kind: string) =>
  ({ type: 'integer', minimum: 0, description: `The number of ${kind}.`, example: 12 }) as const;

export class RecordCountsResponse {
  @ApiProperty(count('teams'))
  teams!: number;

  @ApiProperty(count('players'))
  players!: number;

  @ApiProperty(count('schedules'))
  schedules!: number;
}

export class RecordCountsDataResponse extends DataDto(RecordCountsResponse, 'The numbers of records.') {}
