import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Clock } from '../../config/clock.js';
import type { OrganizationScope } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { withApostrophes } from '../../validation/text.js';
import { notDeleted } from '../../database/plugins/soft-delete.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { maxFound, SyncedRepository } from '../../records/synced.repository.js';
import { beginningWith, ignoringCase } from '../../records/synced-record.schema.js';
import type { TeamContents } from '../teams/teams.repository.js';
import { Player, playerModel, type PlayerRecord } from './player.schema.js';

/** A player on a roster, with the fields that statistics need. */
export type RosterEntry = Pick<PlayerRecord, '_id' | 'teamId' | 'name' | 'jerseyNumber'>;

const publicFields = fieldNamesOf(Player);
/** Of a search: each is compared with each word of each name. */
const maxWords = 8;

@Injectable()
export class PlayersRepository extends SyncedRepository<PlayerRecord, keyof Player> implements TeamContents {
  readonly noun = 'players';

  constructor(@InjectModel(playerModel) model: Model<PlayerRecord>, clock: Clock) {
    super(model, publicFields, clock);
  }

  /**
   * Returns a few players if each word of the text begins a word of their name, or their email, ignoring case and accents.
   * Reads the players of the organization in the order of their names until it has found enough: no index has the words.
   */
  protected override findByName(scope: OrganizationScope, _name: string, text: string): Promise<Player[]> {
    const split = (input: unknown, find: string) => ({ $replaceAll: { input, find, replacement: ' ' } });
    const parts = split(split('$name', '-'), '\u00a0');
    const words = { $split: [{ $concat: ['$name', ' ', parts, ' ', { $ifNull: ['$email', ''] }] }, ' '] };
    const isBegun = (word: string) => {
      const limits = withApostrophes(word).map((form) => Object.entries(beginningWith(form)));
      const isWithin = (limit: [string, string][]) => ({
        $and: limit.map(([operator, $literal]) => ({ [operator]: ['$$this', { $literal }] })),
      });
      return { $ne: [{ $filter: { input: words, cond: { $or: limits.map(isWithin) } } }, []] };
    };
    const $expr = { $and: [...new Set(text.split(/\s+/))].slice(0, maxWords).map(isBegun) };
    const options = { limit: maxFound, collation: ignoringCase };
    return this.find(scope, { $expr }, publicFields, { name: 1 }, options);
  }

  countOfTeams(scope: OrganizationScope, teamIds: readonly RecordId[]) {
    const filter = { teamId: { $in: [...teamIds] }, ...notDeleted };
    const counted = { $group: { _id: '$teamId', count: { $sum: 1 } } };
    return this.aggregate<{ _id: RecordId; count: number }>(scope, filter, [counted]);
  }

  removeFromTeams(scope: OrganizationScope, teamIds: readonly RecordId[]): Promise<void> {
    const filter = this.toFilter({ teamId: { $in: [...teamIds] } });
    return this.updateAll(scope, filter, this.deletionBy(scope));
  }

  /**
   * Returns the roster entries of those players who are on one of the teams, and locks them until the transaction ends, so
   * that an erasure runs before or after it.
   */
  async lockRosterEntries(
    scope: OrganizationScope,
    teamIds: readonly string[],
    ids: readonly string[],
    session: Session,
  ): Promise<RosterEntry[]> {
    const filter = { _id: { $in: ids.map(toRecordId) }, teamId: { $in: teamIds.map(toRecordId) } };
    await this.updateMany(scope, filter, [{ $set: { statisticsWrittenAt: '$$NOW' } }], session);
    return this.find(scope, filter, ['_id', 'teamId', 'name', 'jerseyNumber'], { _id: 1 }, { session });
  }

  /** Returns the players of these teams with one of the external IDs, inside a transaction. */
  async findOnTeams(
    scope: OrganizationScope,
    teamIds: readonly string[],
    externalIds: readonly string[],
    session: Session,
  ): Promise<Pick<PlayerRecord, '_id' | 'teamId' | 'externalId'>[]> {
    if (externalIds.length === 0) return [];
    const filter = { teamId: { $in: teamIds.map(toRecordId) }, externalId: { $in: externalIds } };
    return this.find(scope, filter, ['_id', 'teamId', 'externalId'], { teamId: 1, externalId: 1 }, { session });
  }

  /** Returns those of the players, deleted or not, who have one of the external IDs, inside a transaction. */
  async findWithExternalIds(
    scope: OrganizationScope,
    ids: readonly RecordId[],
    externalIds: readonly string[],
    session: Session,
  ): Promise<Pick<PlayerRecord, '_id' | 'externalId'>[]> {
    if (ids.length === 0 || externalIds.length === 0) return [];
    const filter = { _id: { $in: [...ids] }, externalId: { $in: [...externalIds] } };
    return this.find(scope, filter, ['_id', 'externalId'], { _id: 1 }, { session, withDeleted: true });
  }

  /** Returns those of the players who are not deleted. */
  findPresent(scope: OrganizationScope, ids: readonly RecordId[]): Promise<RosterEntry[]> {
    return this.find(scope, { _id: { $in: [...ids] } }, ['_id', 'teamId', 'name', 'jerseyNumber'], { _id: 1 });
  }

  /** Erases a player, deleted or not, with the first response to their `idem-key`, in a transaction. Returns any name. */
  async erase(scope: OrganizationScope, id: string, session: Session): Promise<string | undefined> {
    const filter = { _id: toRecordId(id) };
    const [player] = await this.find(scope, filter, ['name'], {}, { session, withDeleted: true });
    await this.replaceAll(scope, filter, [], session);
    return player?.name;
  }
}
