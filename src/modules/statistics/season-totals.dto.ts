import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto, PageQuery } from '../../http/paging.js';
import { ChoiceField, TeamIdField, TextField } from '../../validation/fields.js';
import type { Counters } from './rules/definition.js';
import { statisticsCategories, type StatisticsCategory } from './rules/statistics-table.js';
import { createTotalsRow } from './statistics-openapi.js';

/** Query of `GET /seasons/{seasonId}/player-statistics`. */
export class SeasonTotalsQuery extends PageQuery {
  @ChoiceField({
    description: 'The category of the totals.',
    enumName: 'StatisticsCategory',
    choices: statisticsCategories,
    required: true,
  })
  category!: StatisticsCategory;

  @TeamIdField({ description: 'List only what players did for this team: those who have changed teams since, too.' })
  teamId?: string;

  @TextField({
    description: 'A counter or derived value of the category: greatest first, then by name. Omit to sort by name.',
    max: 40,
  })
  sort?: string;
}

/** What a player did in one category in the games of a season: with the present name, number and team, or in those for one team. */
export class SeasonTotals {
  @ApiProperty({ description: 'The ID of the player.', example: '6650f1f77bcf86cd79943951' })
  playerId!: string;

  @ApiPropertyOptional({ description: 'Your own ID of the player.', example: 'member-1' })
  playerExternalId?: string;

  @ApiProperty({
    description:
      'The present name of the player, or that of the row of statistics that was written last if the player was deleted.',
    example: 'Jordan Lee',
  })
  playerName!: string;

  @ApiPropertyOptional({ description: 'The jersey number.', example: '07' })
  jerseyNumber?: string;

  @ApiProperty({ description: "The ID of the player's team.", example: '6650f1f77bcf86cd79943941' })
  teamId!: string;

  @ApiPropertyOptional({ description: 'Your own ID of that team.', example: 'club-7' })
  teamExternalId?: string;

  @ApiProperty({ description: 'The name of that team.', example: 'Bay Hawks' })
  teamName!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'The number of games with statistics.', example: 8 })
  games!: number;

  category!: StatisticsCategory;
  stats!: Counters;
  derived!: Counters;
}

export class SeasonTotalsResponse extends PageDto<SeasonTotals>(createTotalsRow(SeasonTotals), {
  data: 'The totals on this page.',
  total: 'The number of players with statistics in the category.',
}) {}
