import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { OrganizationScope, RequestContext } from '../../access/request-context.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { ServiceError } from '../../errors/service-error.js';
import type { ListPage } from '../../http/paging.js';
import { jsonMapper } from '../../validation/dto.js';
import { CursorPage } from '../../database/cursor-page.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { type Parent, SyncedService } from '../../records/synced.service.js';
import { TeamsService } from '../teams/teams.service.js';
import {
  CreatePlayer,
  type ListPlayersQuery,
  type PlayerResponse,
  PlayerRow,
  type UpdatePlayer,
} from './player.dto.js';
import { Player } from './player.schema.js';
import { PlayersRepository, type RosterEntry } from './players.repository.js';

const toResponse: (player: Player) => PlayerResponse = jsonMapper(Player);

/** A player on a roster, with the fields that statistics need. */
interface RosterPlayer {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly jerseyNumber?: string;
}

/**
 * The players of a team. Every operation rejects a team of another organization (40301). `create`, `getByExternalId`,
 * `upsert` and `bulkUpsert` are those of `SyncedService`.
 */
@Injectable()
export class PlayersService extends SyncedService<Player, UpdatePlayer, CreatePlayer, PlayerResponse> {
  constructor(
    private readonly players: PlayersRepository,
    private readonly teams: TeamsService,
    private readonly clock: Clock,
  ) {
    const types = { rowType: PlayerRow, createType: CreatePlayer, notFound: errorCatalogue.playerNotFound };
    super({ repository: players, clock, toResponse, ...types });
  }

  /**
   * Returns a page of a team's players.
   * @throws ServiceError 40001 for a cursor of another list
   */
  async list(context: RequestContext, teamId: string, query: ListPlayersQuery): Promise<ListPage<PlayerResponse>> {
    const page = new CursorPage(context.organization.id, query, `teams/${teamId}/players`, this.clock.now());
    const team = await this.teams.requireTeam(context, teamId);
    return page.toResponse(
      await this.players.findAll(context, { ...page.filters, teamId: team.id }, page.start),
      toResponse,
    );
  }

  /**
   * Returns a player of a team.
   * @throws ServiceError 40403
   */
  async get(context: RequestContext, teamId: string, id: string): Promise<PlayerResponse> {
    const team = await this.teams.requireTeam(context, teamId);
    return toResponse(assertFound(await this.players.findById(context, id, { teamId: team.id })));
  }

  /**
   * Updates the sent fields of a player.
   * @throws ServiceError 40403, 40905, 41201
   */
  async update(context: RequestContext, teamId: string, id: string, changes: UpdatePlayer): Promise<PlayerResponse> {
    const team = await this.teams.requireTeam(context, teamId);
    return toResponse(assertFound(await this.players.updateById(context, id, changes, { teamId: team.id })));
  }

  /** Returns the team, within which the external IDs of players are unique. */
  protected override async findParent(context: RequestContext, teamId = ''): Promise<Parent> {
    return { teamId: (await this.teams.requireTeam(context, teamId)).id };
  }

  protected findRelated(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected build({ position = [], ...fields }: CreatePlayer, _related: undefined, { teamId = '' }: Parent = {}) {
    return { position, ...fields, teamId: toRecordId(teamId) };
  }

  protected change(input: UpdatePlayer): UpdatePlayer {
    return input;
  }

  /**
   * Removes a player from the roster; the statistics of past games keep the player.
   * @throws ServiceError 40403, 41201
   */
  async remove(context: RequestContext, teamId: string, id: string): Promise<void> {
    const team = await this.teams.requireTeam(context, teamId);
    assertFound(await this.players.deleteById(context, id, { teamId: team.id }));
  }

  /** Returns the organization of a player, deleted or not, or null, inside a transaction; for operators without a scope. */
  ownerOf(id: string, session: Session): Promise<string | null> {
    return this.players.ownerOf(id, {}, session);
  }

  /** Erases a player, deleted or not, with the first response to their `idem-key`, inside a transaction. */
  erase(scope: OrganizationScope, id: string, session: Session): Promise<void> {
    return this.players.erase(scope, id, session);
  }

  /** Returns those of the players who are on the roster of one of the teams, by ID, and locks them until the transaction ends. */
  async lockRosterPlayers(
    scope: OrganizationScope,
    teamIds: readonly string[],
    playerIds: readonly string[],
    session: Session,
  ): Promise<Map<string, RosterPlayer>> {
    return byId(await this.players.lockRosterEntries(scope, teamIds, playerIds, session));
  }

  /** Returns those of the players who are not deleted, by ID. */
  async findPresent(scope: OrganizationScope, ids: readonly RecordId[]): Promise<Map<string, RosterPlayer>> {
    return byId(await this.players.findPresent(scope, ids));
  }

  /** Returns a text that differs after every change of the organization's players. */
  findVersion(scope: OrganizationScope): Promise<string> {
    return this.players.findVersion(scope);
  }
}

function byId(entries: readonly RosterEntry[]): Map<string, RosterPlayer> {
  return new Map(
    entries.map(({ _id, teamId, name, jerseyNumber }) => {
      const number = jerseyNumber !== undefined && { jerseyNumber };
      return [String(_id), { id: String(_id), teamId: String(teamId), name, ...number }];
    }),
  );
}

function assertFound(player: Player | null): Player {
  if (player === null) throw new ServiceError(errorCatalogue.playerNotFound);
  return player;
}
