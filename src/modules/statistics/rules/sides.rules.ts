import { toRecordId } from '../../../database/record.js';
import type { NamedPlayer } from '../../players/player.schema.js';
import { valuesAt } from '../../../database/former-values.js';
import type { TeamRef } from '../../teams/teams.service.js';
import type { PlayerSnapshot } from '../player-statistics.repository.js';
import type { ParsedRow } from './parse-rows.js';

/** What decides the side of a row. */
interface Game {
  readonly start: Date;
  /** The teams of the organization that play, by ID: one, if they play a guest or themselves. */
  readonly sides: ReadonlyMap<string, TeamRef>;
  readonly stored: readonly PlayerSnapshot[];
  /** The side to which the request is limited, if any. */
  readonly teamId: string | undefined;
}

type Reject = (field: string, problem: string) => void;

/** Decides which player a row means, and on which side: as it is stored or stated, otherwise as it was when the game started. */
export class SideFinder {
  private readonly stored: ReadonlyMap<string, PlayerSnapshot>;
  private readonly byId: ReadonlyMap<string, NamedPlayer>;
  private readonly byExternalId: ReadonlyMap<string | null | undefined, NamedPlayer[]>;
  private readonly seen = new Set<string>();

  constructor(
    private readonly game: Game,
    players: readonly NamedPlayer[],
  ) {
    // The last one for each ID, because rows can name a player by both: as in the stored rows only if it was not read.
    const named = [...game.stored.map(toNamedPlayer), ...players];
    this.byId = new Map(named.map((player) => [String(player._id), player]));
    this.byExternalId = Map.groupBy(this.byId.values(), ({ externalId }) => externalId);
    this.stored = new Map(game.stored.map((row) => [String(row.playerId), row]));
  }

  /** Returns the player of a row as of the game, or says which field of the row is wrong. */
  find({ player: name, side, category }: ParsedRow, reject: Reject): PlayerSnapshot | undefined {
    const stated = this.findStated(side, reject);
    if (stated === null) return undefined;
    const choice = this.choose(this.findNamed(name), stated);
    if (typeof choice === 'string') {
      reject(choice === undecided ? 'teamId' : name.field, choice);
      return undefined;
    }
    const { player, teamId } = choice;
    const key = `${String(player._id)} ${category}`;
    // A player can be named by ID in one row and by external ID in another one.
    if (this.seen.has(key)) reject(name.field, `already has a row of the category ${category}`);
    this.seen.add(key);
    return this.toSnapshot(player, teamId);
  }

  private findNamed({ isOwn, value }: ParsedRow['player']): readonly NamedPlayer[] {
    if (isOwn) return this.byExternalId.get(value) ?? [];
    const player = this.byId.get(value);
    return player === undefined ? [] : [player];
  }

  /** Returns the side that a row states, undefined if it states none, and null if it states a wrong one. */
  private findStated(side: ParsedRow['side'], reject: Reject): string | null | undefined {
    if (side === undefined) return undefined;
    const { field, isOwn, value } = side;
    const isStated = ({ id, externalId }: TeamRef) => (isOwn ? externalId : id) === value;
    const stated = [...this.game.sides.values()].find(isStated)?.id;
    const { teamId = stated } = this.game;
    if (stated === undefined) reject(field, 'must be one of the two teams of the organization');
    else if (stated !== teamId) reject(field, 'must be the team to which the request is limited');
    else return stated;
    return null;
  }

  private choose(named: readonly NamedPlayer[], stated: string | undefined) {
    if (named.length === 0) return 'must be a player of the organization';
    const { teamId } = this.game;
    const wanted = stated ?? teamId;
    const sides = new Map(named.map((player) => [player, this.sideOf(player)]));
    const on = (side: string | undefined) => named.filter((player) => sides.get(player) === side).sort(this.compare);
    if (wanted === undefined) {
      const decided = [...this.game.sides.keys()].flatMap((side) => on(side).slice(0, 1));
      const [player] = decided;
      if (decided.length > 1 || player === undefined) return undecided;
      return { player, teamId: sides.get(player) ?? '' };
    }
    const [exact] = on(wanted);
    if (exact !== undefined) return { player: exact, teamId: wanted };
    // Whoever replaces all rows can state another side than the one that was decided.
    const others = stated === undefined || teamId !== undefined ? on(undefined) : [...named].sort(this.compare);
    const [player, second] = others;
    if (player === undefined) return 'must be a player of the team, not of the other side';
    if (second !== undefined && this.compare(player, second) === 0) return 'names several players: send playerId';
    return { player, teamId: wanted };
  }

  /** Returns the side on which the player is stored, or was when the game started. */
  private sideOf({ formerRosters, ...player }: NamedPlayer): string | undefined {
    const { start, sides } = this.game;
    const stored = this.stored.get(String(player._id))?.teamId;
    const { teamId: then } = isGone(player, start) ? {} : valuesAt(player, formerRosters, start);
    return [stored, then].flatMap((id) => (id !== undefined && sides.has(String(id)) ? String(id) : []))[0];
  }

  /** Compares players with the same external ID: who was there when the game started comes first, then who is not deleted. */
  private readonly compare = (a: NamedPlayer, b: NamedPlayer): number => this.rank(a) - this.rank(b);

  private rank(player: NamedPlayer): number {
    const { start } = this.game;
    if (player.createdAt <= start && !isGone(player, start)) return 0;
    return player.deletedAt === null ? 1 : 2;
  }

  /** Returns the player with the number that was worn in the team when the game started, or else last. */
  private toSnapshot({ formerRosters = [], ...player }: NamedPlayer, teamId: string): PlayerSnapshot | undefined {
    const known = this.stored.get(String(player._id));
    if (known?.teamId.equals(teamId) === true) return known;
    const team = this.game.sides.get(teamId);
    if (team === undefined) return undefined;
    const isInTeam = (roster: Pick<NamedPlayer, 'teamId'>) => roster.teamId.equals(teamId);
    const then = valuesAt(player, formerRosters, this.game.start);
    const { jerseyNumber } = [then, player, ...formerRosters.toReversed()].find(isInTeam) ?? player;
    const number = jerseyNumber === undefined ? {} : { jerseyNumber };
    return {
      playerId: player._id,
      playerName: player.name,
      teamId: toRecordId(teamId),
      teamName: team.name,
      ...number,
    };
  }
}

/** Returns the player of a stored row, which decides all that a row without a side needs, also if the player was erased. */
function toNamedPlayer({ playerId, playerName, teamId }: PlayerSnapshot): NamedPlayer {
  return { _id: playerId, name: playerName, teamId, createdAt: new Date(0), deletedAt: null };
}

/** Returns whether a player had been deleted when the game started. */
function isGone({ deletedAt }: NamedPlayer, start: Date): boolean {
  return deletedAt !== null && deletedAt <= start;
}

const undecided = 'is required: the player was in neither team, or in both, when the game started';
