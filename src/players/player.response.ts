import { ApiProperty } from '@nestjs/swagger';
import { NextCursorProperty } from '../common/http/paging.js';

const instant = { type: String, format: 'date-time' } as const;

/** A player as partners see one. */
export class PlayerResponse {
  @ApiProperty({ description: "The player's id.", example: '6650f1f77bcf86cd79943951' })
  _id!: string;

  @ApiProperty({ description: 'The team whose roster the player is on.', example: '6650f1f77bcf86cd79943941' })
  teamId!: string;

  @ApiProperty({ description: "The organization of the player's team.", example: '6650f1f77bcf86cd79943911' })
  organizationId!: string;

  @ApiProperty({ description: "The player's name.", example: 'Jordan Lee' })
  name!: string;

  @ApiProperty({
    required: false,
    format: 'idn-email',
    description: "The player's email.",
    example: 'jordan.lee@example.com',
  })
  email?: string;

  @ApiProperty({ type: [String], description: "The player's positions, the primary one first.", example: ['QB', 'WR'] })
  position!: string[];

  @ApiProperty({ required: false, description: 'The number, as a text.', example: '07' })
  jerseyNumber?: string;

  @ApiProperty({
    required: false,
    format: 'uri',
    description: "Where the player's picture is.",
    example: 'https://cdn.example.com/players/jordan-lee.jpg',
  })
  profilePicture?: string;

  @ApiProperty({ ...instant, description: 'When the player was made.', example: '2027-02-01T09:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ ...instant, description: 'When the player was changed last.', example: '2027-02-01T09:00:00.000Z' })
  updatedAt!: string;
}

/** One player. */
export class PlayerDataResponse {
  @ApiProperty({ type: PlayerResponse, description: 'The player.' })
  data!: PlayerResponse;
}

/** A page of players. */
export class PlayerListResponse {
  @ApiProperty({ type: [PlayerResponse], description: 'The page, in order of creation.' })
  data!: PlayerResponse[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many players the team has in all.', example: 1 })
  total!: number;

  @NextCursorProperty()
  nextCursor?: string;
}
