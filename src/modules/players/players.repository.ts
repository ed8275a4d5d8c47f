import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, SortOrder, UpdateQuery } from 'mongoose';
import { Clock } from '../../config/clock.js';
import type { OrganizationScope } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { withApostrophes } from '../../validation/text.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { notDeleted } from '../../database/plugins/soft-delete.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { keepFormer, keepValues } from '../../database/former-values.js';
import type { StoredUpdate } from '../../records/outcome.js';
import { maxFound, SyncedRepository } from '../../records/synced.repository.js';
import { beginningWith, ignoringCase } from '../../records/synced-record.schema.js';
import type { TeamContents } from '../teams/teams.repository.js';
import { type NamedPlayer, namedFields, Player, playerModel, type PlayerRecord } from './player.schema.js';

const presentFields = ['_id', 'externalId', 'teamId', 'name', 'jerseyNumber'] as const;
type PlayerId = Pick<PlayerRecord, '_id' | 'externalId'>;
const byExternalId = { externalId: 1, createdAt: 1, _id: 1 } as const;
const cachedPlayers = 50_000;

const publicFields = fieldNamesOf(Player);
/** What statistics show as of the game. */
const rosterFields = ['teamId', 'jerseyNumber'] as const;
/** Of a search: each is compared with each word of each name. */
const maxWords = 8;

@Injectable()
export class PlayersRepository extends SyncedRepository<PlayerRecord, keyof Player> implements TeamContents {
  readonly noun = 'players';

  /** External IDs by organization and player, so that no organization gets another one's. */
  private readonly externalIds: CoherentCache<PlayerId>;

  constructor(@InjectModel(playerModel) model: Model<PlayerRecord>, clock: Clock, changeStream: ChangeStreamService) {
    super(model, publicFields, clock);
    const collections = [model.collection.name];
    const idsOf = ({ _id }: PlayerId) => [String(_id)];
    const ignoredFields = /^statisticsWrittenAt$/;
    this.externalIds = changeStream.createCache({ collections, ignoredFields, max: cachedPlayers, idsOf });
  }

  /** Returns the external IDs of players, deleted or not, cached or read with one query. */
  findExternalIds(scope: OrganizationScope, ids: readonly RecordId[]): Promise<PlayerId[]> {
    const keyOf = (id: string) => `${scope.organization.id}/${id}`;
    return this.externalIds.getOrLoadAll([...new Set(ids.map(String))], keyOf, (missing) => {
      const filter = { _id: { $in: missing.map(toRecordId) } };
      return this.find(scope, filter, ['_id', 'externalId'], { _id: 1 }, { withDeleted: true });
    });
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

  /** Returns the players with these IDs or external IDs, also deleted ones, inside a transaction. */
  async findNamed(
    scope: OrganizationScope,
    ids: readonly string[],
    externalIds: readonly string[],
    session: Session,
  ): Promise<NamedPlayer[]> {
    const find = (filter: object, sort: Record<string, SortOrder>) =>
      this.find(scope, this.toFilter(filter), namedFields, sort, { session, withDeleted: true });
    const byId = ids.length === 0 ? [] : await find({ _id: { $in: ids.map(toRecordId) } }, { _id: 1 });
    return [
      ...byId,
      ...(externalIds.length === 0 ? [] : await find({ externalId: { $in: [...externalIds] } }, byExternalId)),
    ];
  }

  /** Locks players until the transaction ends, so that an erasure runs before or after it. */
  async lockForStatistics(scope: OrganizationScope, ids: readonly RecordId[], session: Session): Promise<void> {
    const write = [{ $set: { statisticsWrittenAt: '$$NOW' } }];
    await this.updateMany(scope, this.toFilter({ _id: { $in: [...ids] } }), write, { session, withDeleted: true });
  }

  /** Also keeps the team and the number, if one of them changes. */
  protected override toPipeline(update: UpdateQuery<PlayerRecord>): object[] {
    return [...keepFormer('formerRosters', rosterFields, update), ...super.toPipeline(update)];
  }

  /** Also keeps the team and the number, if one of them changes. */
  protected override toStored(write: StoredUpdate<PlayerRecord>): UpdateQuery<PlayerRecord> {
    const update = super.toStored(write);
    if (rosterFields.every((name) => write.changes[name] === undefined)) return update;
    const { teamId, jerseyNumber } = write.before;
    const roster = { teamId, ...(jerseyNumber !== undefined && { jerseyNumber }) };
    return { ...update, $push: { formerRosters: keepValues(roster, write.changes.updatedAt ?? this.clock.now()) } };
  }

  /** Returns those of the players who are not deleted. */
  findPresent(scope: OrganizationScope, ids: readonly RecordId[]) {
    return this.find(scope, { _id: { $in: [...ids] } }, presentFields, { _id: 1 });
  }

  /** Erases a player, deleted or not, with the first response to their `idem-key`, in a transaction. Returns any name. */
  async erase(scope: OrganizationScope, id: string, session: Session): Promise<string | undefined> {
    const filter = { _id: toRecordId(id) };
    const [player] = await this.find(scope, filter, ['name'], {}, { session, withDeleted: true });
    await this.replaceAll(scope, filter, [], session);
    return player?.name;
  }
}
