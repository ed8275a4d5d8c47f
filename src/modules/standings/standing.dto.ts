import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { DataDto, PageDto } from '../../http/paging.js';
import { field } from '../../validation/field.js';
import { ChoiceListField, NumberField, TextField } from '../../validation/fields.js';
import { Rule } from '../../validation/rules.js';
import {
  differenceCap,
  type ForfeitScore,
  forfeitScoreText,
  maxTiebreakers,
  type StandingsRules,
  type Tiebreaker,
  tiebreakers,
  tiebreakersText,
  tiePoints,
  winPoints,
} from '../seasons/standings-rules.schema.js';

const scores = /^(\d{1,3})-(\d{1,3})$/;

/** Filters of the teams, and rules that override those of the season. */
export class StandingsQuery implements StandingsRules {
  @TextField({ description: 'Rank only teams of this age group.', max: 40 })
  ageGroup?: string;

  @TextField({ description: 'Rank only teams of this gender.', max: 40 })
  gender?: string;

  @ChoiceListField({
    description: `${tiebreakersText} Separated by commas.`,
    choices: tiebreakers,
    enumName: 'Tiebreaker',
    maxItems: maxTiebreakers,
  })
  tiebreakers?: Tiebreaker[];

  @NumberField({ ...differenceCap, query: true })
  differenceCap?: number;

  @NumberField({ ...winPoints, query: true })
  winPoints?: number;

  @NumberField({ ...tiePoints, query: true })
  tiePoints?: number;

  @field(
    { description: `${forfeitScoreText} First the points of the winner, such as \`1-0\`.` },
    {
      convert: (sent) => {
        const [, winner, loser] = scores.exec(String(sent)) ?? [];
        return winner === undefined ? sent : { winner: Number(winner), loser: Number(loser) };
      },
      schema: { type: String, pattern: scores.source },
    },
    Rule('isScore', (value) => {
      const { winner = NaN, loser = NaN } = Object(value) as Partial<ForfeitScore>;
      return winner >= loser ? undefined : 'must be two scores such as 1-0, that of the winner first';
    }),
  )
  forfeitScore?: ForfeitScore;
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

  @ApiProperty({ type: 'integer', description: '`pointsFor` minus `pointsAgainst`, within the cap.', example: 55 })
  pointDifference!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: '(`wins` + `ties` / 2) / `played`, with three decimals; `null` without games.',
    example: 0.688,
  })
  winPercentage!: number | null;

  @Count('`winPoints` for each win and `tiePoints` for each tie.', 11)
  points!: number;

  @ApiPropertyOptional({
    ...{ enum: tiebreakers, enumName: 'Tiebreaker', example: 'headToHead' },
    description:
      'The criterion that put the team above the next one; `winPercentage` if that has no games. Omitted for the last team and for shared ranks.',
  })
  decidedBy?: Tiebreaker;
}

export class StandingsResponse extends PageDto(StandingResponse, {
  data: 'The teams by rank; those that share one by name, then ID.',
  total: 'The number of teams.',
}) {}

class TiedTeamResponse extends PickType(StandingResponse, ['rank', 'teamId', 'teamName']) {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number', nullable: true },
    description:
      'The values that were compared, by criterion in their order, the latest of each; `null` without games. Criteria that did not apply are omitted.',
    example: { winPercentage: 0.688, headToHead: 1 },
  })
  values!: Readonly<Record<string, number | null>>;
}

/** Why a team has its place. */
export class PlaceResponse extends PickType(StandingResponse, ['rank', 'teamId', 'decidedBy']) {
  @ApiProperty({
    type: [TiedTeamResponse],
    description:
      'The teams that were equal when `decidedBy` was applied, by rank; for a shared rank, those that share it; for the last team, those that it was equal to until the end.',
  })
  teams!: TiedTeamResponse[];
}

export class PlaceDataResponse extends DataDto(PlaceResponse, 'Why the team has its place.') {}
