import { ApiProperty } from '@nestjs/swagger';
import { NextCursorProperty } from '../common/http/paging.js';
import { durations, eventTypes, fieldSizes, matchupFormats, overtimeTypes, teamFormats } from './schedule-values.js';

const instant = { type: String, format: 'date-time' } as const;

/** A schedule as partners see one. */
export class ScheduleResponse {
  @ApiProperty({ description: "The schedule's id.", example: '6650f1f77bcf86cd79943961' })
  _id!: string;

  @ApiProperty({ description: 'The organization whose schedule it is.', example: '6650f1f77bcf86cd79943911' })
  organizationId!: string;

  @ApiProperty({ description: 'The owning team.', example: '6650f1f77bcf86cd79943941' })
  teamOneId!: string;

  @ApiProperty({ description: 'The owning team, as requests name it.', example: '6650f1f77bcf86cd79943941' })
  teamId!: string;

  @ApiProperty({
    required: false,
    description: 'The opponent, where it is a team of the organization.',
    example: '6650f1f77bcf86cd79943942',
  })
  teamTwoId?: string;

  @ApiProperty({ description: "The opponent's name.", example: 'Foxes' })
  teamTwoName!: string;

  @ApiProperty({ description: 'What takes place.', enum: eventTypes, example: 'game' })
  eventType!: string;

  @ApiProperty({ description: 'The title as it is shown.', example: 'Hawks vs Foxes' })
  eventTitle!: string;

  @ApiProperty({ ...instant, description: 'When it begins.', example: '2027-05-01T10:00:00.000Z' })
  startDate!: string;

  @ApiProperty({ ...instant, description: 'When it ends.', example: '2027-05-01T10:30:00.000Z' })
  endDate!: string;

  @ApiProperty({ type: 'integer', enum: durations, description: 'How long it takes, in minutes.', example: 30 })
  duration!: number;

  @ApiProperty({ enum: matchupFormats, description: 'How the game is divided.', example: 'halves' })
  matchupFormat!: string;

  @ApiProperty({ enum: teamFormats, description: 'How many play on each side.', example: '7v7' })
  teamFormat!: string;

  @ApiProperty({ description: 'Whether it is a game to try things out with.', example: false })
  isTestGame!: boolean;

  @ApiProperty({ description: 'Whether it is a scrimmage.', example: false })
  isScrimmage!: boolean;

  @ApiProperty({ description: 'Whether yards are counted.', example: true })
  enableYardage!: boolean;

  @ApiProperty({ description: 'Whether a drive may start at zero yards.', example: false })
  allowZeroYardStart!: boolean;

  @ApiProperty({
    required: false,
    type: 'integer',
    enum: fieldSizes,
    description: 'The length of the field in yards.',
    example: 50,
  })
  fieldSizeInYard?: number;

  @ApiProperty({ enum: overtimeTypes, description: 'Whether overtime ends.', example: 'unlimited' })
  overtimeType!: string;

  @ApiProperty({ required: false, minimum: 1, description: 'The length of overtime in minutes.', example: 10 })
  overtimeDuration?: number;

  @ApiProperty({
    required: false,
    description: 'Where it takes place, for people.',
    example: 'Riverside Park, field 3',
  })
  locationName?: string;

  @ApiProperty({
    required: false,
    description: 'Where it takes place, as the id of a map service.',
    example: 'ChIJ2eUgeAK6j4ARbn5u_wAGqWA',
  })
  placeId?: string;

  @ApiProperty({
    required: false,
    description: 'Where it takes place, as it was sent.',
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    example: { latitude: 37.8, longitude: -122.27 },
  })
  location?: string | Record<string, unknown>;

  @ApiProperty({ required: false, description: 'A note for a practice.', example: 'Bring cones.' })
  practiceNote?: string;

  @ApiProperty({ required: false, description: 'The tournament it belongs to.', example: 'spring-cup-2027' })
  tournamentId?: string;

  @ApiProperty({ ...instant, description: 'When it was made.', example: '2027-04-01T09:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ ...instant, description: 'When it was changed last.', example: '2027-04-01T09:00:00.000Z' })
  updatedAt!: string;
}

/** One schedule. */
export class ScheduleDataResponse {
  @ApiProperty({ type: ScheduleResponse, description: 'The schedule.' })
  data!: ScheduleResponse;
}

/** A page of schedules. */
export class ScheduleListResponse {
  @ApiProperty({ type: [ScheduleResponse], description: 'The page, by beginning, the earliest first.' })
  data!: ScheduleResponse[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many schedules match in all.', example: 1 })
  total!: number;

  @NextCursorProperty()
  nextCursor?: string;
}
