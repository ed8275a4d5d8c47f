import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto } from '../../http/paging.js';

import { ChoiceListField, TextField } from '../../validation/fields.js';

export const tiebreakers = [
  'winPercentage',
  'headToHead',
  'pointDifference',
  'pointsAgainst',
  'pointsFor',
  'forfeits',
  'wins',
] as const;
export type Tiebreaker = (typeof tiebreakers)[number];

/** The order when a request has no `tiebreakers`; the list above has no order. */
export const defaultTiebreakers: readonly Tiebreaker[] = [
  'winPercentage',
  'headToHead',
  'pointsAgainst',
  'pointDifference',
  'pointsFor',
];

export class StandingsQuery {
  @TextField({ description: 'Rank only teams of this age group.', max: 40 })
  ageGroup?: string;

  @TextField({ description: 'Rank only teams of this gender.', max: 40 })
  gender?: string;

  @ChoiceListField({
    description: `The criteria that split equal teams, in order, separated by commas. Default: \`${defaultTiebreakers.join(',')}\`.`,
    choices: tiebreakers,
    enumName: 'Tiebreaker',
  })
  tiebreakers?: Tiebreaker[];
}

const Count = (description: string, example: number) =>
  ApiProperty({ type: 'integer', minimum: 0, description, example });

/** The place of a team in the standings of a season. */
export class StandingResponse {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The rank. Equal teams share one.', example: 1 })
  rank!: number;

  @ApiProperty({ description: 'The ID of the team.', example: '6650f1f77bcf86cd79943941' })
  teamId!: string;

  @ApiProperty({ description: 'The name of the team.', example: 'Bay Hawks' })
  teamName!: string;

  @ApiPropertyOptional({ description: 'Your own ID of the team.', example: 'erp-4711' })
  externalId?: string;

  @Count('The number of games that count.', 8)
  played!: number;

  @Count('The number of games won.', 5)
  wins!: number;

  @Count('The number of games lost.', 2)
  losses!: number;

  @Count('The number of games without a winner.', 1)
  ties!: number;

  @Count('The number of games that the team forfeited, included in `losses`.', 0)
  forfeits!: number;

  @Count('The points scored.', 176)
  pointsFor!: number;

  @Count('The points conceded.', 121)
  pointsAgainst!: number;

  @ApiProperty({ type: 'integer', description: '`pointsFor` minus `pointsAgainst`.', example: 55 })
  pointDifference!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: '(`wins` + `ties` / 2) / `played`, with three decimals; `null` without games.',
    example: 0.688,
  })
  winPercentage!: number | null;
}

export class StandingsResponse extends PageDto(StandingResponse, {
  data: 'The teams by rank; those that share one by name, then ID.',
  total: 'The number of teams.',
}) {}
