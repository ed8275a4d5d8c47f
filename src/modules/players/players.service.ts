import { Injectable, type Type } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { RecordContext } from '../../access/request-context.js';
import { assertFound, ServiceError } from '../../errors/service-error.js';
import type { ListPage } from '../../http/paging.js';
import { CursorPage } from '../../database/cursor-page.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { BulkRequest, BulkResponse, Row } from '../../records/bulk.dto.js';
import { toBulkResponse } from '../../records/outcome.js';
import { type StoredRows, SyncedService } from '../../records/synced.service.js';
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
import { maxFoundTeams, PlayersRepository } from './players.repository.js';
import { type PlacedPlayer, placeRows, rosterKey } from './roster-rows.js';

type NewPlayer = CreatePlayer & Pick<Player, 'teamId'>;

/**
 * The players of a team. Every operation rejects a team of another organization (40301). `create`, `getByExternalId`,
 * `upsert` and `bulkUpsert` are those of `SyncedService`.
 */
@Injectable()
export class PlayersService extends SyncedService<Player, PlacedPlayer, NewPlayer, PlayerResponse> {
  constructor(
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
    private readonly teamRecords: TeamsRepository,
    private readonly clock: Clock,
  ) {
    const types = { createType: CreatePlayer as Type<NewPlayer>, notFound: 'playerNotFound' } as const;
    super({ repository: players, clock, toResponse: toPlayerResponse, ...types });
    teamRecords.contents.push(players);
  }

  async list(context: RecordContext, teamId: string, query: ListPlayersQuery): Promise<ListPage<PlayerResponse>> {
    const page = new CursorPage(context.organization.id, query, `teams/${teamId}/players`, this.clock.now());
    const filters = { ...page.filters, ...(await this.ofTeam(context, teamId)) };
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
    const team = await this.ofTeam(context, teamId);
    return this.respond(context, assertFound(await this.players.findById(context, id, team), 'playerNotFound'));
  }

  /**
   * Changes a player; `teamId` in the body moves the player, who is on no other team before or after. Of two concurrent moves,
   * the later one finds no player on the old team.
   */
  async update(context: RecordContext, teamId: string, id: string, input: UpdatePlayer): Promise<PlayerResponse> {
    const { teamId: newTeamId, teamExternalId, ...fields } = input;
    const team = await this.ofTeam(context, teamId);
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
    const rows = placeRows(sent, await this.teams.lookUp(context, ids, externalIds));
    const written = await this.writeRows(context, rows, { dryRun });
    const outcomes = written.map((outcome) => {
      const { result, write } = outcome;
      const isMoved = result === 'updated' && write && 'changes' in write && write.changes.teamId;
      return isMoved ? ({ ...outcome, result: 'moved' } as const) : outcome;
    });
    return toBulkResponse(sent, outcomes, dryRun, undefined, { moved: 0 });
  }

  /** Returns the team of a path as the field of its players, within which their external IDs are unique. */
  async ofTeam(context: RecordContext, teamId: string): Promise<{ teamId: RecordId }> {
    return { teamId: toRecordId((await this.teams.requireOfPath(context, teamId)).id) };
  }

  protected override async findStored(
    context: RecordContext,
    rows: readonly Row<PlacedPlayer>[],
  ): Promise<StoredRows<Player, PlacedPlayer>> {
    const moving = rows.filter(({ move }) => move).map(({ externalId }) => externalId);
    // Before those on the rosters: a player who is moved in between is found on both, or fails the write and is read again.
    const anywhere = await this.players.findAnywhere(context, moving);
    const all = await this.players.findOnRosters(context, rows);
    const onRoster = new Map(all.map((player) => [rosterKey(player.teamId, player.externalId), player]));
    const of = ({ teamId, externalId }: Row<PlacedPlayer>) =>
      onRoster.get(rosterKey(teamId, externalId)) ?? onlyOne(anywhere.get(externalId));
    return { all, of };
  }

  protected findRelated(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected build({ position = [], move: _move, ...fields }: NewPlayer & Pick<PlacedPlayer, 'move'>) {
    return { position, ...fields };
  }

  protected change({ move: _move, ...fields }: PlacedPlayer) {
    return fields;
  }

  /** Removes a player from the roster; the statistics of past games keep the player. */
  async remove(context: RecordContext, teamId: string, id: string): Promise<void> {
    const team = await this.ofTeam(context, teamId);
    assertFound(await this.players.deleteById(context, id, team), 'playerNotFound');
  }
}

function onlyOne(players: readonly Player[] = []): Player | undefined {
  if (players.length <= 1) return players[0];
  const teams = players.slice(0, maxFoundTeams).map(({ teamId }) => String(teamId));
  const message = `Several other teams have a player with this externalId: ${teams.join(', ')}${players.length > maxFoundTeams ? ', …' : ''}`;
  throw new ServiceError('externalIdTaken', { message, details: [{ field: 'externalId', message }] });
}
