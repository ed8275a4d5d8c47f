import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, SortOrder, UpdateQuery } from 'mongoose';
import { Clock } from '../../config/clock.js';
import type { Tenant } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { withApostrophes } from '../../validation/text.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { notDeleted } from '../../database/plugins/soft-delete.js';
import { projectionOf, type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { keepFormer } from '../../database/former-values.js';
import { maxFound, SyncedRepository } from '../../records/synced.repository.js';
import { beginningWith, ignoringCase } from '../../records/synced-record.schema.js';
import type { TeamContents } from '../teams/teams.repository.js';
import { namedFields, type NamedPlayer, Player, PlayerRecord } from './player.schema.js';

const presentFields = ['_id', 'externalId', 'teamId', 'name', 'jerseyNumber'] as const;
type PlayerId = Pick<PlayerRecord, '_id' | 'externalId'>;
const byExternalId = { externalId: 1, createdAt: 1, _id: 1 } as const;
const cachedPlayers = 50_000;

const publicFields = fieldNamesOf(Player);
/** The most other teams of a player that an error names. */
export const maxFoundTeams = 10;
/** Of a search: each is compared with each word of each name. */
const maxWords = 8;

@Injectable()
export class PlayersRepository extends SyncedRepository<PlayerRecord, keyof Player> implements TeamContents {
  readonly noun = 'players';

  /** External IDs by organization and player, so that no organization gets another one's. */
  private readonly externalIds: CoherentCache<PlayerId>;

  constructor(
    @InjectModel(PlayerRecord.name) model: Model<PlayerRecord>,
    clock: Clock,
    changeStream: ChangeStreamService,
  ) {
    super(model, publicFields, clock);
    this.externalIds = changeStream.createCache([model.collection.name], cachedPlayers, ({ _id }) => [String(_id)]);
  }

  /** Returns the external IDs of players, deleted or not, cached or read with one query. */
  findExternalIds(tenant: Tenant, ids: readonly RecordId[]): Promise<PlayerId[]> {
    const keyOf = (id: string) => `${tenant.organization.id}/${id}`;
    return this.externalIds.getOrLoadAll([...new Set(ids.map(String))], keyOf, (missing) => {
      const filter = { _id: { $in: missing.map(toRecordId) } };
      return this.find(tenant, filter, ['_id', 'externalId'], { _id: 1 }, { withDeleted: true });
    });
  }

  /**
   * Returns a few players if each word of the text begins a word of their name, or their email, ignoring case and accents.
   * Reads the players of the organization in the order of their names until it has found enough: no index has the words.
   */
  protected override findByName(tenant: Tenant, _name: string, text: string): Promise<Player[]> {
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
    return this.find(tenant, { $expr }, publicFields, { name: 1 }, options);
  }

  /** Returns the players with the external ID and the team of these rows. */
  async findOnRosters(
    tenant: Tenant,
    rows: readonly { readonly teamId?: RecordId; readonly externalId: string }[],
  ): Promise<Player[]> {
    const rosters = Map.groupBy(rows, ({ teamId }) => String(teamId));
    const $or = [...rosters].map(([teamId, some]) =>
      this.toFilter({ teamId, externalId: { $in: some.map(({ externalId }) => externalId) } }),
    );
    return rows.length === 0 ? [] : this.find(tenant, { $or }, publicFields, { externalId: 1 });
  }

  /** Returns the players of all teams by their external IDs, of each one more than an error names. */
  async findAnywhere(tenant: Tenant, externalIds: readonly string[]): Promise<Map<string, Player[]>> {
    if (externalIds.length === 0) return new Map();
    const found = { $firstN: { n: maxFoundTeams + 1, input: '$$ROOT' } };
    const stages = [{ $project: projectionOf(publicFields) }, { $group: { _id: '$externalId', players: found } }];
    const filter = { externalId: { $in: [...externalIds] }, ...notDeleted };
    const groups = await this.aggregate<{ _id: string; players: Player[] }>(tenant, filter, stages);
    return new Map(groups.map(({ _id, players }) => [_id, players]));
  }

  countOfTeams(tenant: Tenant, teamIds: readonly RecordId[]) {
    const filter = { teamId: { $in: [...teamIds] }, ...notDeleted };
    const counted = { $group: { _id: '$teamId', count: { $sum: 1 } } };
    return this.aggregate<{ _id: RecordId; count: number }>(tenant, filter, [counted]);
  }

  /** Returns the players with these IDs or external IDs, also deleted ones, inside a transaction. */
  async findNamed(
    tenant: Tenant,
    ids: readonly string[],
    externalIds: readonly string[],
    session: Session,
  ): Promise<NamedPlayer[]> {
    const find = (filter: object, sort: Record<string, SortOrder>) =>
      this.find(tenant, this.toFilter(filter), namedFields, sort, { session, withDeleted: true });
    const byId = ids.length === 0 ? [] : await find({ _id: { $in: ids.map(toRecordId) } }, { _id: 1 });
    return [
      ...byId,
      ...(externalIds.length === 0 ? [] : await find({ externalId: { $in: [...externalIds] } }, byExternalId)),
    ];
  }

  /** Locks players until the transaction ends, so that an erasure runs before or after it. */
  async lockForStatistics(tenant: Tenant, ids: readonly RecordId[], session: Session): Promise<void> {
    const write = [{ $set: { statisticsWrittenAt: '$$NOW' } }];
    await this.updateMany(tenant, this.toFilter({ _id: { $in: [...ids] } }), write, { session, withDeleted: true });
  }

  /** Also keeps the team and the number, if one of them changes. */
  protected override toPipeline(update: UpdateQuery<PlayerRecord>): object[] {
    const { updatedAt: until } = update.$set as Pick<PlayerRecord, 'updatedAt'>;
    const former = { teamId: '$teamId', jerseyNumber: '$jerseyNumber', until };
    return [...keepFormer('formerRosters', ['teamId', 'jerseyNumber'], update, former), ...super.toPipeline(update)];
  }

  /** Returns those of the players who are not deleted. */
  findPresent(tenant: Tenant, ids: readonly RecordId[]) {
    return this.find(tenant, { _id: { $in: [...ids] } }, presentFields, { _id: 1 });
  }

  /** Erases a player, deleted or not, with the first response to their `idem-key`, in a transaction. Returns any name. */
  async erase(tenant: Tenant, id: string, session: Session): Promise<string | undefined> {
    const filter = { _id: toRecordId(id) };
    const [player] = await this.find(tenant, filter, ['name'], {}, { session, withDeleted: true });
    await this.replaceAll(tenant, filter, [], session);
    return player?.name;
  }
}
