import { ApiProperty } from '@nestjs/swagger';
import { NextCursorProperty } from '../common/http/paging.js';

const instant = { type: String, format: 'date-time' } as const;

/** A team as partners see one. */
export class TeamResponse {
  @ApiProperty({ description: "The team's id.", example: '6650f1f77bcf86cd79943941' })
  _id!: string;

  @ApiProperty({ description: "The team's name.", example: 'Bay Hawks' })
  name!: string;

  @ApiProperty({ description: 'The season it plays in.', example: '6650f1f77bcf86cd79943931' })
  season!: string;

  @ApiProperty({ description: 'The kind of football.', example: 'flag' })
  footballType!: string;

  @ApiProperty({ description: 'The age group.', example: '12U' })
  ageGroup!: string;

  @ApiProperty({ description: "The team's gender.", example: 'coed' })
  gender!: string;

  @ApiProperty({ description: 'Whether the team is archived.', example: false })
  isArchived!: boolean;

  @ApiProperty({
    required: false,
    format: 'uri',
    description: "Where the team's logo is.",
    example: 'https://cdn.example.com/logos/bay-hawks.png',
  })
  logoUrl?: string;

  @ApiProperty({ description: 'The organization whose team it is.', example: '6650f1f77bcf86cd79943911' })
  organizationId!: string;

  @ApiProperty({ ...instant, description: 'When it was made.', example: '2027-02-01T09:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ ...instant, description: 'When it was changed last.', example: '2027-02-01T09:00:00.000Z' })
  updatedAt!: string;
}

/** A page of teams. */
export class TeamListResponse {
  @ApiProperty({ type: [TeamResponse], description: 'The page, in order of creation.' })
  data!: TeamResponse[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many teams there are in all.', example: 1 })
  total!: number;

  @NextCursorProperty()
  nextCursor?: string;
}
