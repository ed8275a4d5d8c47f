import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope, RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import type { ListPage } from '../../common/http/paging.js';
import { jsonMapper } from '../../common/validation/dto.js';
import { isRecordId } from '../../common/validation/fields.js';
import { CursorPage } from '../../database/cursor-page.js';
import type { CausalRead } from '../../database/database.service.js';
import { type FeedRecord, toRecordId } from '../../database/record.js';
import { newRecord } from '../../idempotency/idempotent.repository.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import type { CreateTeam, ListTeamsQuery, TeamResponse } from './team.dto.js';
import { Team, type TeamRecord } from './team.schema.js';
import { TeamsRepository } from './teams.repository.js';

/** A team that belongs to the organization. */
export interface TeamRef {
  readonly id: string;
  readonly name: string;
}

/** At least one team ID. */
export type TeamIds = readonly [string, ...string[]];

const toResponse: (team: Team) => TeamResponse = jsonMapper(Team);

@Injectable()
export class TeamsService {
  constructor(
    private readonly teams: TeamsRepository,
    private readonly seasons: SeasonsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a page of the organization's teams.
   * @throws ServiceError 40001 for a cursor of another list
   */
  async list(context: RequestContext, query: ListTeamsQuery): Promise<ListPage<TeamResponse>> {
    const page = new CursorPage(context.organization.id, query, 'teams', this.clock.now());
    return page.toResponse(await this.teams.findAll(context, page.filters, page.start), toResponse);
  }

  /** Returns records for the change feed, also deleted ones. */
  findForFeed(scope: OrganizationScope, ids: readonly string[], read: CausalRead): Promise<FeedRecord[]> {
    return this.teams.findForFeed(scope, ids, read, toResponse);
  }

  /**
   * Creates a team.
   * @throws ServiceError 40404 for an unknown season, 40302 for a season of another organization
   */
  async create(context: RequestContext, input: CreateTeam): Promise<TeamResponse> {
    const { season, ...fields } = input;
    await this.seasons.assertVisible(context, season);
    const record: TeamRecord = {
      ...fields,
      season: toRecordId(season),
      isArchived: false,
      ...newRecord(context, this.clock),
    };
    const response = toResponse(record);
    await this.teams.insertIdempotent(context, record, context.idempotencyKey, response);
    return response;
  }

  /**
   * Returns a team of the organization; the ID can be any string that a client sent.
   * @throws ServiceError 40301 if the organization has no such team
   */
  async requireTeam(scope: OrganizationScope, teamId: string): Promise<TeamRef> {
    const [team] = await this.requireTeams(scope, [teamId]);
    return team;
  }

  /**
   * Returns teams of the organization in the order of the IDs, with one query.
   * @throws ServiceError 40301 if the organization lacks one of them
   */
  async requireTeams(scope: OrganizationScope, [first, ...others]: TeamIds): Promise<[TeamRef, ...TeamRef[]]> {
    const found = await this.teams.findNames(scope, [first, ...others].filter(isRecordId));
    const refOf = (teamId: string): TeamRef => {
      const team = found.find(({ _id }) => String(_id) === teamId.toLowerCase());
      if (team === undefined) throw new ServiceError(errorCatalogue.teamForbidden);
      return { id: String(team._id), name: team.name };
    };
    return [refOf(first), ...others.map(refOf)];
  }
}
