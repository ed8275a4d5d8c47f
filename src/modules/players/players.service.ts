import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { RequestContext } from '../../access/request-context.js';
import { assertFound } from '../../errors/service-error.js';
import type { ListPage } from '../../http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { toRecordId } from '../../database/record.js';
import { type Parent, SyncedService } from '../../records/synced.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import { TeamsService } from '../teams/teams.service.js';
import {
  CreatePlayer,
  type ListAllPlayersQuery,
  type ListPlayersQuery,
  type PlayerResponse,
  toPlayerResponse,
  type UpdatePlayer,
  type UpsertPlayer,
} from './player.dto.js';
import type { Player } from './player.schema.js';
import { PlayersRepository } from './players.repository.js';

/**
 * The players of a team. Every operation rejects a team of another organization (40301). `create`, `getByExternalId`,
 * `upsert` and `bulkUpsert` are those of `SyncedService`.
 */
@Injectable()
export class PlayersService extends SyncedService<Player, UpsertPlayer, CreatePlayer, PlayerResponse> {
  constructor(
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
    private readonly teamRecords: TeamsRepository,
    private readonly clock: Clock,
  ) {
    const types = { createType: CreatePlayer, notFound: 'playerNotFound' } as const;
    super({ repository: players, clock, toResponse: toPlayerResponse, ...types });
    teamRecords.contents.push(players);
  }

  async list(context: RequestContext, teamId: string, query: ListPlayersQuery): Promise<ListPage<PlayerResponse>> {
    const page = new CursorPage(context.organization.id, query, `teams/${teamId}/players`, this.clock.now());
    const filters = { ...page.filters, ...(await this.findParent(context, teamId)) };
    return page.toResponse(await this.players.findAll(context, filters, page.start), toPlayerResponse);
  }

  /** Returns a page of the organization's players, of all teams. */
  async listAll(context: RequestContext, query: ListAllPlayersQuery): Promise<ListPage<PlayerResponse>> {
    const page = new CursorPage(context.organization.id, query, 'players', this.clock.now());
    const { teamId, season, externalId, updatedFrom } = page.filters;
    const team = teamId === undefined ? undefined : await this.teams.requireTeam(context, teamId);
    const ids = season === undefined ? undefined : await this.teamRecords.findIdsBySeason(context, season, team?.id);
    const updatedAt = updatedFrom && { $gte: updatedFrom };
    const values = { externalId, updatedAt, teamId: ids ? { $in: ids.map(toRecordId) } : team?.id };
    return page.toResponse(await this.players.findAll(context, values, page.start), toPlayerResponse);
  }

  async get(context: RequestContext, teamId: string, id: string): Promise<PlayerResponse> {
    const team = await this.findParent(context, teamId);
    return this.respond(context, assertFound(await this.players.findById(context, id, team), 'playerNotFound'));
  }

  /**
   * Changes a player; `teamId` in the body moves the player, who is on no other team before or after. Of two concurrent moves,
   * the later one finds no player on the old team.
   */
  async update(context: RequestContext, teamId: string, id: string, input: UpdatePlayer): Promise<PlayerResponse> {
    const { teamId: newTeamId, ...fields } = input;
    const team = await this.findParent(context, teamId);
    const newTeam = newTeamId === undefined ? undefined : await this.teams.requireTeam(context, newTeamId);
    const changes = newTeam === undefined ? fields : { ...fields, teamId: toRecordId(newTeam.id) };
    const updated = await this.players.updateById(context, id, changes, team);
    return this.respond(context, assertFound(updated, 'playerNotFound'));
  }

  /** Returns the team, within which the external IDs of players are unique. */
  protected override async findParent(context: RequestContext, teamId = ''): Promise<Parent> {
    return { teamId: (await this.teams.requireOfPath(context, teamId)).id };
  }

  protected findRelated(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected build({ position = [], ...fields }: CreatePlayer, _related: undefined, { teamId = '' }: Parent = {}) {
    return { position, ...fields, teamId: toRecordId(teamId) };
  }

  protected change(input: UpsertPlayer): UpsertPlayer {
    return input;
  }

  /** Removes a player from the roster; the statistics of past games keep the player. */
  async remove(context: RequestContext, teamId: string, id: string): Promise<void> {
    const team = await this.findParent(context, teamId);
    assertFound(await this.players.deleteById(context, id, team), 'playerNotFound');
  }
}
