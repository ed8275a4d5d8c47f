import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { Tenant, RecordContext } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import type { ListPage } from '../../http/paging.js';
import { isRecordId } from '../../validation/fields.js';
import { CursorPage } from '../../database/cursor-page.js';
import type { RecordId } from '../../database/record.js';
import { valuesAt } from '../../database/former-values.js';
import { deleted, failed } from '../../records/outcome.js';
import { SyncedService } from '../../records/synced.service.js';
import { type SeasonLookup, SeasonsService } from '../seasons/seasons.service.js';
import { CreateTeam, type ListTeamsQuery, type TeamResponse, toTeamResponse, type UpdateTeam } from './team.dto.js';
import type { Team } from './team.schema.js';
import { type TeamOfGames, TeamsRepository } from './teams.repository.js';

/** A team that belongs to the organization. */
export interface TeamRef {
  readonly id: string;
  readonly name: string;
  readonly externalId?: string | undefined;
  /** The names before a change of the name, while games can still have them. */
  readonly formerNames: readonly string[];
  /** Returns the season that the team was in at a time. */
  readonly seasonAt: (at: Date) => RecordId;
}

/** The fields of requests that name a team, by its ID or by the partner's own. */
type TeamField = 'teamId' | 'teamTwoId' | 'teamExternalId' | 'teamTwoExternalId';

/** How a request names a team: with one of the two. */
export interface TeamName {
  readonly teamId?: string | undefined;
  readonly teamExternalId?: string | undefined;
}

/** Returns a team of the organization by the value of a field, or throws 40301, which names the field. */
export type TeamLookup = (value: string, field?: TeamField) => TeamRef;

/** How many times a deletion is attempted while other requests change the team. */
const maxDeletions = 3;

/** Teams. `create`, `getByExternalId`, `upsert` and `bulkUpsert` are those of `SyncedService`. */
@Injectable()
export class TeamsService extends SyncedService<Team, UpdateTeam, CreateTeam, TeamResponse, SeasonLookup> {
  constructor(
    private readonly teams: TeamsRepository,
    private readonly seasons: SeasonsService,
    private readonly clock: Clock,
  ) {
    const types = { createType: CreateTeam, notFound: 'teamNotFound' } as const;
    super({ repository: teams, clock, toResponse: toTeamResponse, ...types });
  }

  async list(context: RecordContext, query: ListTeamsQuery): Promise<ListPage<TeamResponse>> {
    const page = new CursorPage(context.organization.id, query, 'teams', this.clock.now());
    const { updatedFrom, ...filters } = page.filters;
    const values = { ...filters, updatedAt: updatedFrom && { $gte: updatedFrom } };
    return page.toResponse(await this.teams.findAll(context, values, page.start), toTeamResponse);
  }

  async get(context: RecordContext, teamId: string): Promise<TeamResponse> {
    return this.respond(
      context,
      (await this.teams.findById(context, teamId)) ?? (await this.throwMissing(context, teamId)),
    );
  }

  async update(context: RecordContext, teamId: string, input: UpdateTeam): Promise<TeamResponse> {
    // A foreign team is reported before a foreign season.
    if (input.season !== undefined) await this.requireOfPath(context, teamId);
    const changes = this.change(input, undefined, await this.findRelated(context, [input]));
    const updated = await this.teams.updateById(context, teamId, changes);
    return this.respond(context, updated ?? (await this.throwMissing(context, teamId)));
  }

  /** Deletes a team without players and schedules. */
  async remove(context: RecordContext, teamId: string): Promise<void> {
    for (let attempt = 0; attempt < maxDeletions; attempt++) {
      const team = (await this.teams.findById(context, teamId)) ?? (await this.throwMissing(context, teamId));
      const used = await this.findUsed(context, [team]);
      const { write } = deleted(context, team, this.clock.now(), used);
      if ((await this.teams.writeAll(context, [write])).size === 0) return;
    }
    throw failed().error;
  }

  protected override findUsed(context: RecordContext, teams: readonly Team[]): Promise<ReadonlyMap<string, string>> {
    const ids = teams.map(({ _id }) => _id);
    return this.teams.findUsed(context, ids);
  }

  /**
   * Looks up the seasons of requests.
   * @throws ServiceError (the returned function) 40404, or 40302 for a season of another organization
   */
  protected findRelated(context: RecordContext, inputs: readonly UpdateTeam[]): Promise<SeasonLookup> {
    const ids = inputs.flatMap(({ season }) => season ?? []);
    return this.seasons.lookUp(context, ids);
  }

  protected build({ season, ...fields }: CreateTeam, seasonOf: SeasonLookup) {
    return { isArchived: false, ...fields, season: seasonOf(season) };
  }

  protected change({ season, ...fields }: UpdateTeam, _stored: Team | undefined, seasonOf: SeasonLookup) {
    return { ...fields, ...(season && { season: seasonOf(season) }) };
  }

  /** @throws ServiceError 40401 for a deleted team of the organization, 40301 for every other ID */
  private async throwMissing({ organization }: Tenant, teamId: string): Promise<never> {
    const owner = isRecordId(teamId) ? await this.teams.ownerOf(teamId, { deletedAt: { $ne: null } }) : null;
    if (owner === organization.id) throw new ServiceError('teamNotFound');
    return throwForbidden();
  }

  /** Returns the team of a path, as `requireTeam` does. @throws ServiceError 40401 for a deleted team, 40301 */
  async requireOfPath(tenant: Tenant, teamId: string): Promise<TeamRef> {
    return (await this.find(tenant, teamId)) ?? this.throwMissing(tenant, teamId);
  }

  /** Returns a team of the organization; the ID can be any string that a client sent. */
  async requireTeam(tenant: Tenant, teamId: string): Promise<TeamRef> {
    return (await this.lookUp(tenant, [teamId]))(teamId);
  }

  /** Returns the team that a request names, or undefined if it names none. */
  async requireNamed(tenant: Tenant, name: TeamName): Promise<TeamRef | undefined> {
    return teamNamed(name, await this.lookUp(tenant, [name.teamId], [name.teamExternalId]));
  }

  /** Returns a team of the organization, or undefined if it has none with the ID. */
  async find(tenant: Tenant, teamId: string): Promise<TeamRef | undefined> {
    const [team] = await this.teams.findNames(tenant, [teamId]);
    return team && toTeamRef(team);
  }

  /** Returns the external IDs of teams. */
  findExternalIds(tenant: Tenant, ids: readonly RecordId[]): Promise<Pick<Team, '_id' | 'externalId'>[]> {
    return this.teams.findNames(tenant, [...new Set(ids.map(String))]);
  }

  /**
   * Looks up teams with at most one query by ID, and one by external ID.
   * @throws ServiceError (the returned function) 40301 if the organization has no such team
   */
  async lookUp(tenant: Tenant, ids: readonly unknown[], externalIds: readonly unknown[] = []): Promise<TeamLookup> {
    const recordIds = ids.filter(isRecordId).map((id) => id.toLowerCase());
    const names = externalIds.filter((name) => typeof name === 'string');
    const named = await this.teams.findNamesByExternalIds(tenant, [...new Set(names)]);
    const found = await this.teams.findNames(tenant, [...new Set(recordIds)]);
    const byId = new Map([...found, ...named].map((team) => [String(team._id), toTeamRef(team)]));
    const byExternalId = new Map(named.map((team) => [team.externalId, toTeamRef(team)]));
    return (value, field = 'teamId') => {
      const team = field.endsWith('ExternalId') ? byExternalId.get(value) : byId.get(value.toLowerCase());
      return team ?? throwForbidden(field);
    };
  }
}

/** Returns the team that a request names, or undefined if it names none. */
export function teamNamed({ teamId, teamExternalId }: TeamName, teamOf: TeamLookup): TeamRef | undefined {
  if (teamId !== undefined) return teamOf(teamId);
  return teamExternalId === undefined ? undefined : teamOf(teamExternalId, 'teamExternalId');
}

export function toTeamRef({ _id, name, externalId, formerNames = [], season, formerSeasons }: TeamOfGames): TeamRef {
  const seasonAt = (at: Date) => valuesAt({ season }, formerSeasons, at).season;
  return { id: String(_id), name, externalId, formerNames: formerNames.map((former) => former.name), seasonAt };
}

function throwForbidden(field = 'teamId'): never {
  const details = [{ field, message: `${field} is not a team of the API key's organization` }];
  throw new ServiceError('teamForbidden', { details });
}
