import { applyDecorators, Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, ApiErrors, Context, IntegrationRoute, RequiresScope } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { AdminContext, RequestContext } from '../../access/request-context.js';
import type { ErrorName } from '../../errors/error-catalogue.js';
import { Returns, type RouteReturning } from '../../http/returns.decorator.js';
import { capitalize } from '../../validation/union.js';
import { OrganizationId } from '../organizations/organization.dto.js';
import { PlayerId } from '../players/player.dto.js';
import { PlayersService } from '../players/players.service.js';
import { ScheduleId } from '../schedules/schedule.dto.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { TeamId } from '../teams/team.dto.js';
import { TeamsService } from '../teams/teams.service.js';
import { HistoryKindParam, HistoryQuery, HistoryRecordId, HistoryResponse } from './history.dto.js';
import type { HistoryKind } from './history.schema.js';
import { HistoryService } from './history.service.js';

const returned = 'A page of changes.';

/** A route with the history of a record, for API keys that may read records of its kind. */
const HistoryOf = (
  record: string,
  kind: 'teams' | 'players' | 'schedules',
  path: string,
  ...errors: ErrorName[]
): RouteReturning<HistoryResponse> =>
  applyDecorators(
    Get(`${path}/history`),
    ApiTags(capitalize(kind)),
    IntegrationRoute(kind),
    RequiresScope(`${kind}:read`),
    ApiOperation({
      summary: `List the changes of a ${record}`,
      description: `Lists the changes of a ${record} in the last 90 days, newest first, even if it is deleted. A change is listed about half a second after it was made.`,
    }),
    ApiErrors(...errors),
    ApiOkResponse({ type: HistoryResponse, description: returned }),
  );

@Controller(publicPrefix)
export class HistoryController {
  constructor(
    private readonly history: HistoryService,
    private readonly teams: TeamsService,
    private readonly players: PlayersService,
    private readonly schedules: SchedulesService,
  ) {}

  @HistoryOf('team', 'teams', 'teams/:teamId', 'teamForbidden', 'teamNotFound')
  listTeamHistory(@Context() context: RequestContext, @TeamId() id: string, @Query() query: HistoryQuery) {
    return this.history.list(context, { kind: 'team', id }, query, () => this.teams.get(context, id));
  }

  @HistoryOf('player', 'players', 'teams/:teamId/players/:playerId', 'teamForbidden', 'teamNotFound', 'playerNotFound')
  listPlayerHistory(
    @Context() context: RequestContext,
    @TeamId() teamId: string,
    @PlayerId() id: string,
    @Query() query: HistoryQuery,
  ) {
    const throwMissing = () => this.players.get(context, teamId, id);
    return this.history.list(context, { kind: 'player', id, teamId }, query, throwMissing);
  }

  @HistoryOf('schedule', 'schedules', 'schedules/:scheduleId', 'scheduleNotFound', 'resourceForbidden')
  listScheduleHistory(@Context() context: RequestContext, @ScheduleId() id: string, @Query() query: HistoryQuery) {
    return this.history.list(context, { kind: 'schedule', id }, query, () => this.schedules.get(context, id));
  }
}

@ApiTags('Organizations')
@Controller('organizations/:organizationId/records/:kind/:id/history')
@AdminRoute('superAdmin')
@ApiErrors('organizationNotFound', 'seasonNotFound', 'teamNotFound', 'playerNotFound', 'scheduleNotFound')
export class OrganizationHistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get()
  @ApiOperation({
    summary: "List the changes of an organization's record",
    description:
      'Lists the changes of a record in the last 90 days, newest first, even if it is deleted, but not if it is erased. The audit log records it if the record is a player.',
  })
  @Returns(HistoryResponse, returned)
  listOrganizationHistory(
    @Context() admin: AdminContext,
    @OrganizationId() organizationId: string,
    @HistoryKindParam() kind: string,
    @HistoryRecordId() id: string,
    @Query() query: HistoryQuery,
  ) {
    return this.history.listForAdmin(admin, organizationId, { kind: kind as HistoryKind, id }, query);
  }
}
