import { ApiProperty } from '@nestjs/swagger';
import { NextCursorProperty } from '../common/http/paging.js';

const instant = { type: String, format: 'date-time' } as const;

/** A season as partners see one. */
export class SeasonResponse {
  @ApiProperty({
    description: "The season's id, to be sent as `season` when a team is created.",
    example: '6650f1f77bcf86cd79943931',
  })
  _id!: string;

  @ApiProperty({ description: "The season's name.", example: 'Spring 2027' })
  name!: string;

  @ApiProperty({ ...instant, description: 'When it begins.', example: '2027-03-01T00:00:00.000Z' })
  startDate!: string;

  @ApiProperty({ ...instant, description: 'When it ends.', example: '2027-06-30T00:00:00.000Z' })
  endDate!: string;

  @ApiProperty({
    required: false,
    description: 'The organization whose season it is; left out where it is for every organization.',
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: string;

  @ApiProperty({ ...instant, description: 'When it was made.', example: '2027-01-10T09:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ ...instant, description: 'When it was changed last.', example: '2027-01-10T09:00:00.000Z' })
  updatedAt!: string;
}

/** A page of all seasons, as admins see it. */
export class AllSeasonsResponse {
  @ApiProperty({ type: [SeasonResponse], description: 'The page, newest beginning first.' })
  data!: SeasonResponse[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many seasons there are in all.', example: 1 })
  total!: number;
}

/** A page of seasons, as partners see it. */
export class SeasonListResponse extends AllSeasonsResponse {
  @NextCursorProperty()
  nextCursor?: string;
}
