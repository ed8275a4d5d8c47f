import type { RecordContext } from '../../access/request-context.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import { invalidField, ServiceError } from '../../errors/service-error.js';
import type { ParsedRow, Row } from '../../records/bulk.dto.js';
import { linkRepeated } from '../../records/bulk.pipe.js';
import type { RowParents, StoredRows } from '../../records/row-parents.js';
import { teamNamed, type TeamLookup } from '../teams/teams.service.js';
import type { RosterRow, UpsertPlayer } from './player.dto.js';
import type { Player } from './player.schema.js';
import { maxFoundTeams, type PlayersRepository } from './players.repository.js';

/** An upsert of a player, with the team in a request over several. */
export type PlacedPlayer = UpsertPlayer & { readonly teamId?: RecordId };

const keyOf = ({ teamId }: { readonly teamId?: unknown }, externalId = '') => `${String(teamId)} ${externalId}`;

/** The rows of a request over the teams of an organization, some of which move players from another team. */
export class RosterRows implements RowParents<Player, PlacedPlayer> {
  readonly rows: readonly ParsedRow<PlacedPlayer>[];
  private readonly moving = new Set<Row<PlacedPlayer>>();

  constructor(
    private readonly context: RecordContext,
    private readonly players: PlayersRepository,
    sent: readonly ParsedRow<RosterRow>[],
    teamOf: TeamLookup,
  ) {
    const placed = sent.map((row) => this.place(row, teamOf));
    const valid = [...placed.keys()].filter((index) => placed[index]?.row !== undefined);
    const indexes = Map.groupBy(valid, (index) => placed[index]?.externalId);
    const rows = placed.map(({ row, ...rest }, index) => {
      const other = indexes.get(rest.externalId)?.find((one) => one !== index);
      if (row === undefined || other === undefined || !this.moving.has(row)) return { ...rest, ...(row && { row }) };
      // The order of the rows would decide where to.
      const message = `externalId is also that of row ${other}, so move must be omitted`;
      return { ...rest, error: invalidField('externalId', message) };
    });
    this.rows = linkRepeated<PlacedPlayer>(rows, ({ parent, externalId }) => parent && keyOf(parent, externalId));
  }

  parentOf({ teamId }: Row<PlacedPlayer>) {
    return { teamId: String(teamId) };
  }

  async findStored(rows: readonly Row<PlacedPlayer>[]): Promise<StoredRows<Player, PlacedPlayer>> {
    const moving = rows.filter((row) => this.moving.has(row)).map(({ externalId }) => externalId);
    // Before those on the rosters: a player who is moved in between is found on both, or fails the write and is read again.
    const anywhere = await this.players.findAnywhere(this.context, moving);
    const all = await this.players.findOnRosters(this.context, rows);
    const onRoster = new Map(all.map((player) => [keyOf(player, player.externalId), player]));
    return { all, of: (row) => onRoster.get(keyOf(row, row.externalId)) ?? onlyOne(anywhere.get(row.externalId)) };
  }

  /** Returns a row with the ID of its team, if the organization has it. */
  private place(
    { row: sent, parent, after: _none, ...rest }: ParsedRow<RosterRow>,
    teamOf: TeamLookup,
  ): ParsedRow<PlacedPlayer> {
    try {
      const team = teamNamed(parent ?? {}, teamOf);
      if (team === undefined) return rest;
      const placed = { ...rest, parent: { teamId: team.id } };
      if (sent === undefined) return placed;
      const { move, teamExternalId: _named, ...fields } = sent;
      const row: Row<PlacedPlayer> = { ...fields, teamId: toRecordId(team.id) };
      if (move === true) this.moving.add(row);
      return { ...placed, row };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { error, ...rest };
    }
  }
}

function onlyOne(players: readonly Player[] = []): Player | undefined {
  if (players.length <= 1) return players[0];
  const teams = players.slice(0, maxFoundTeams).map(({ teamId }) => String(teamId));
  const message = `Several other teams have a player with this externalId: ${teams.join(', ')}${players.length > maxFoundTeams ? ', …' : ''}`;
  throw new ServiceError('externalIdTaken', { message, details: [{ field: 'externalId', message }] });
}
