import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { RecordContext } from '../../access/request-context.js';
import { assertFound } from '../../errors/service-error.js';
import type { ListPage } from '../../http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { toRecordId } from '../../database/record.js';
import type { BulkRequest, BulkResponse } from '../../records/bulk.dto.js';
import { toBulkResponse } from '../../records/outcome.js';
import type { Parent } from '../../records/row-parents.js';
import { SyncedService } from '../../records/synced.service.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import { TeamsService } from '../teams/teams.service.js';
import {
  CreatePlayer,
  type ListAllPlayersQuery,
  type ListPlayersQuery,
  type PlayerResponse,
  type RosterRow,
  toPlayerResponse,
  type UpdatePlayer,
} from './player.dto.js';
import type { Player } from './player.schema.js';
import { PlayersRepository } from './players.repository.js';
import { type PlacedPlayer, RosterRows } from './roster-rows.js';

/**
 * The players of a team. Every operation rejects a team of another organization (40301). `create`, `getByExternalId`,
 * `upsert` and `bulkUpsert` are those of `SyncedService`.
 */
@Injectable()
export class PlayersService extends SyncedService<Player, PlacedPlayer, CreatePlayer, PlayerResponse> {
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

  async list(context: RecordContext, teamId: string, query: ListPlayersQuery): Promise<ListPage<PlayerResponse>> {
    const page = new CursorPage(context.organization.id, query, `teams/${teamId}/players`, this.clock.now());
    const filters = { ...page.filters, ...(await this.findParent(context, teamId)) };
    return page.toResponse(await this.players.findAll(context, filters, page.start), toPlayerResponse);
  }

  /** Returns a page of the organization's players, of all teams. */
  async listAll(context: RecordContext, query: ListAllPlayersQuery): Promise<ListPage<PlayerResponse>> {
    const page = new CursorPage(context.organization.id, query, 'players', this.clock.now());
    const { teamId, season, externalId, updatedFrom } = page.filters;
    const team = teamId === undefined ? undefined : await this.teams.requireTeam(context, teamId);
    const ids = season === undefined ? undefined : await this.teamRecords.findIdsBySeason(context, season, team?.id);
    const updatedAt = updatedFrom && { $gte: updatedFrom };
    const values = { externalId, updatedAt, teamId: ids ? { $in: ids.map(toRecordId) } : team?.id };
    return page.toResponse(await this.players.findAll(context, values, page.start), toPlayerResponse);
  }

  async get(context: RecordContext, teamId: string, id: string): Promise<PlayerResponse> {
    const team = await this.findParent(context, teamId);
    return this.respond(context, assertFound(await this.players.findById(context, id, team), 'playerNotFound'));
  }

  /**
   * Changes a player; `teamId` in the body moves the player, who is on no other team before or after. Of two concurrent moves,
   * the later one finds no player on the old team.
   */
  async update(context: RecordContext, teamId: string, id: string, input: UpdatePlayer): Promise<PlayerResponse> {
    const { teamId: newTeamId, teamExternalId, ...fields } = input;
    const team = await this.findParent(context, teamId);
    const newTeam = await this.teams.requireNamed(context, { teamId: newTeamId, teamExternalId });
    const changes = newTeam === undefined ? fields : { ...fields, teamId: toRecordId(newTeam.id) };
    const updated = await this.players.updateById(context, id, changes, team);
    return this.respond(context, assertFound(updated, 'playerNotFound'));
  }

  /** Does the same as `bulkUpsert` with players of all teams, and moves players. */
  async bulkUpsertAll(context: RecordContext, { rows: sent, dryRun }: BulkRequest<RosterRow>): Promise<BulkResponse> {
    const named = sent.map(({ parent = {} }) => parent);
    const ids = named.map(({ teamId }) => teamId);
    const externalIds = named.map(({ teamExternalId }) => teamExternalId);
    const rosters = new RosterRows(context, this.players, sent, await this.teams.lookUp(context, ids, externalIds));
    const written = await this.writeRows(context, rosters.rows, { dryRun, parents: rosters });
    const outcomes = written.map((outcome) => {
      const { result, write } = outcome;
      const isMoved = result === 'updated' && write && 'changes' in write && write.changes.teamId;
      return isMoved ? ({ ...outcome, result: 'moved' } as const) : outcome;
    });
    return toBulkResponse(sent, outcomes, dryRun, undefined, { moved: 0 });
  }

  /** Returns the team, within which the external IDs of players are unique. */
  protected override async findParent(context: RecordContext, teamId = ''): Promise<Parent> {
    return { teamId: (await this.teams.requireOfPath(context, teamId)).id };
  }

  protected findRelated(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected build({ position = [], ...fields }: CreatePlayer, _related: undefined, { teamId = '' }: Parent = {}) {
    return { position, ...fields, teamId: toRecordId(teamId) };
  }

  protected change(input: PlacedPlayer): PlacedPlayer {
    return input;
  }

  /** Removes a player from the roster; the statistics of past games keep the player. */
  async remove(context: RecordContext, teamId: string, id: string): Promise<void> {
    const team = await this.findParent(context, teamId);
    assertFound(await this.players.deleteById(context, id, team), 'playerNotFound');
  }
}
