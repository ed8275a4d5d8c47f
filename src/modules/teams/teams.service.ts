import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { OrganizationScope, RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import type { ListPage } from '../../common/http/paging.js';
import { jsonMapper } from '../../common/validation/dto.js';
import { isRecordId } from '../../common/validation/fields.js';
import { CursorPage } from '../../database/cursor-page.js';
import { RecordSync } from '../../synchronization/record-sync.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { CreateTeam, type ListTeamsQuery, type TeamResponse, TeamRow, type UpdateTeam } from './team.dto.js';
import { Team } from './team.schema.js';
import { TeamsRepository } from './teams.repository.js';

/** A team that belongs to the organization. */
export interface TeamRef {
  readonly id: string;
  readonly name: string;
}

/** Returns a team of the organization by its ID, or throws 40301. */
export type TeamLookup = (teamId: string) => TeamRef;

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

  /**
   * Returns a team.
   * @throws ServiceError 40301 if the organization has no such team
   */
  async get(context: RequestContext, teamId: string): Promise<TeamResponse> {
    return toResponse(assertOwn(isRecordId(teamId) ? await this.teams.findById(context, teamId) : null));
  }

  /**
   * Updates the sent fields of a team.
   * @throws ServiceError 40301 if the organization has no such team; 40302, 40404, 40905, 41201
   */
  async update(context: RequestContext, teamId: string, input: UpdateTeam): Promise<TeamResponse> {
    // A foreign team is reported before a foreign season.
    if (input.season !== undefined) await this.requireTeam(context, teamId);
    const rules = await this.loadRules(context, [input]);
    const updated = isRecordId(teamId) ? await this.teams.updateById(context, teamId, rules.change(input)) : null;
    return toResponse(assertOwn(updated));
  }

  /**
   * Returns the operations that create teams, and read and upsert them by external ID. They reject an unknown season (40404)
   * and a season of another organization (40302).
   */
  records(context: RequestContext): RecordSync<Team, UpdateTeam, CreateTeam, TeamResponse> {
    return new RecordSync(context, {
      repository: this.teams,
      clock: this.clock,
      rowType: TeamRow,
      createType: CreateTeam,
      toResponse,
      notFound: errorCatalogue.teamNotFound,
      loadRules: (inputs) => this.loadRules(context, inputs),
    });
  }

  /** Looks up the seasons of requests, and returns the rules that turn the requests into records. */
  private async loadRules(context: RequestContext, inputs: readonly UpdateTeam[]) {
    const seasons = inputs.flatMap(({ season }) => season ?? []);
    const seasonOf = await this.seasons.lookUp(context, seasons);
    return {
      create: ({ season, ...fields }: CreateTeam) => ({ isArchived: false, ...fields, season: seasonOf(season) }),
      change: ({ season, ...fields }: UpdateTeam) => ({ ...fields, ...(season && { season: seasonOf(season) }) }),
    };
  }

  /**
   * Returns a team of the organization; the ID can be any string that a client sent.
   * @throws ServiceError 40301 if the organization has no such team
   */
  async requireTeam(scope: OrganizationScope, teamId: string): Promise<TeamRef> {
    return (await this.lookUp(scope, [teamId]))(teamId);
  }

  /**
   * Looks up teams with at most one query. Returns a function that returns one of them by its ID.
   * @throws ServiceError (the returned function) 40301 if the organization has no such team
   */
  async lookUp(scope: OrganizationScope, ids: readonly unknown[]): Promise<TeamLookup> {
    const recordIds = ids.filter(isRecordId).map((id) => id.toLowerCase());
    const found = await this.teams.findNames(scope, [...new Set(recordIds)]);
    const refs = new Map(found.map(({ _id, name }) => [String(_id), { id: String(_id), name }]));
    return (id) => assertOwn(refs.get(id.toLowerCase()) ?? null);
  }
}

function assertOwn<T>(team: T | null): T {
  if (team === null) throw new ServiceError(errorCatalogue.teamForbidden);
  return team;
}
