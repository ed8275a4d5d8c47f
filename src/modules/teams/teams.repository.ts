import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import pLimit, { type LimitFunction } from 'p-limit';
import { Clock } from '../../config/clock.js';
import { type OrganizationScope, unconditional } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { visibilityDelayMilliseconds } from '../../database/count-cache.js';
import { notDeleted } from '../../database/organization.repository.js';
import { type FieldChanges, type IfMatch, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { type BulkWrite, SyncedRepository } from '../../records/synced.repository.js';
import { Team, teamModel, type TeamRecord } from './team.schema.js';

type TeamName = Pick<TeamRecord, '_id' | 'name'>;
type TeamUpdate = Extract<BulkWrite<TeamRecord>, { id: RecordId }>;
/** An update that gives a team another name. */
type RenamingUpdate = TeamUpdate & { readonly changes: { readonly name: string } };

/** A team that gets another name. */
export interface Rename {
  readonly id: RecordId;
  readonly name: string;
  readonly newName: string;
}

/** Changes what repeats the names of teams, in the transaction that renames them. */
type RenameListener = (scope: OrganizationScope, renames: readonly Rename[], session: Session) => Promise<void>;

/** Records that belong to teams. */
export interface TeamContents {
  /** Returns the IDs of the teams that have records; other IDs can be among them. */
  findUsedTeams(scope: OrganizationScope, teamIds: readonly RecordId[]): Promise<RecordId[]>;
  /** Removes the records of deleted teams. */
  removeFromTeams(scope: OrganizationScope, teamIds: readonly RecordId[]): Promise<void>;
}

const rankedFields = ['_id', 'name', 'externalId', 'isArchived'] as const;
const cachedTeams = 20_000;
/** Longer than another server can have an outdated team in its cache, 0.3 s, and then takes to store a record of it. */
const deletionWaitMilliseconds = 1_000;
/** A deletion that did not end within this time was interrupted, and no longer keeps records out of its team. */
const maxDeletionMilliseconds = 10_000;

@Injectable()
export class TeamsRepository extends SyncedRepository<TeamRecord, keyof Team> {
  /** Names by organization and team, so that no organization gets another one's. */
  private readonly names: CoherentCache<TeamName>;
  /** Renames of an organization wait for each other, because concurrent transactions on the same records abort each other. */
  private readonly renameQueues = new LRUCache<string, LimitFunction>({ max: 1_000, memoMethod: () => pLimit(1) });
  private readonly logger = new Logger('Teams');
  /** Runs in the transactions that rename teams. */
  onRename: RenameListener = () => Promise.resolve();
  /** The records that belong to teams, without which a team can be deleted. */
  readonly contents: TeamContents[] = [];

  constructor(
    @InjectModel(teamModel) model: Model<TeamRecord>,
    clock: Clock,
    changeStream: ChangeStreamService,
    private readonly transactions: Transactions,
  ) {
    super(model, fieldNamesOf(Team), clock);
    const collections = [model.collection.name];
    this.names = changeStream.createCache({ collections, max: cachedTeams, idsOf: ({ _id }) => [String(_id)] });
  }

  /** Returns the names of teams that are not being deleted, by lower-case IDs, cached or read with one query. */
  async findNames(scope: OrganizationScope, ids: readonly string[]): Promise<TeamName[]> {
    const keyOf = (id: string) => `${scope.organization.id}/${id}`;
    return this.names.getOrLoadAll(ids, keyOf, (missing) => {
      const interrupted = new Date(this.clock.now().getTime() - maxDeletionMilliseconds);
      const filter = { _id: { $in: missing.map(toRecordId) }, deletionStartedAt: { $not: { $gt: interrupted } } };
      return this.find(scope, { ...filter, ...notDeleted }, ['_id', 'name'], { _id: 1 });
    });
  }

  /** Returns the IDs of those teams that have players or schedules. */
  async findUsed(scope: OrganizationScope, teamIds: readonly RecordId[]): Promise<ReadonlySet<string>> {
    if (teamIds.length === 0) return new Set();
    const used = await Promise.all(this.contents.map((contents) => contents.findUsedTeams(scope, teamIds)));
    return new Set(used.flat().map(String));
  }

  /** Returns the IDs of the teams of a season; with an ID, only that one, if it is in the season. */
  async findIdsBySeason(scope: OrganizationScope, season: string, id?: string): Promise<string[]> {
    const found = await this.find(scope, this.toFilter({ season, _id: id }), ['_id'], { createdAt: 1, _id: 1 });
    return found.map(({ _id }) => String(_id));
  }

  /** Returns the teams of a season, oldest first. */
  findBySeason(scope: OrganizationScope, season: string, filters: Pick<Partial<Team>, 'ageGroup' | 'gender'> = {}) {
    return this.find(scope, this.toFilter({ season, ...filters }), rankedFields, { createdAt: 1, _id: 1 });
  }

  /** Updates a team. If a name is sent, what repeats the old name changes in the same transaction. */
  override updateById(context: OrganizationScope & IfMatch, id: string, changes: FieldChanges<TeamRecord>) {
    const { name: newName } = changes;
    if (typeof newName !== 'string') return super.updateById(context, id, changes);
    return this.runRename(context, async (session) => {
      const _id = toRecordId(id);
      const name = (await this.findStoredNames(context, [{ _id }], session)).get(id);
      const updated = await super.updateById(context, id, changes, {}, session);
      if (name !== undefined && name !== newName) await this.onRename(context, [{ id: _id, name, newName }], session);
      return updated;
    });
  }

  /**
   * Writes all teams: those that get another name in a transaction with what repeats their old names, and deletions only of
   * teams that have become unused.
   */
  override async writeAll(scope: OrganizationScope, writes: readonly BulkWrite<TeamRecord>[]) {
    const renames = writes.filter(isRenaming);
    const deletions = writes.filter(isDeletion);
    const others = writes.filter((write) => !isRenaming(write) && !isDeletion(write));
    const rejected = await super.writeAll(scope, others);
    if (renames.length === 0 && deletions.length === 0) return rejected;
    const outdated =
      renames.length === 0 ? [] : await this.runRename(scope, (session) => this.rename(scope, renames, session));
    return new Set([...rejected, ...outdated, ...(await this.deleteUnused(scope, deletions))]);
  }

  /**
   * Deletes teams to which nothing can be added during the deletion: marks them, so that no request finds them any more,
   * waits for requests that have found them before, and deletes those that have no records then. A transaction would not
   * do: a create sends only its insert, with which it could not conflict. Returns the other deletions.
   */
  private async deleteUnused(scope: OrganizationScope, deletions: readonly TeamUpdate[]): Promise<Set<TeamUpdate>> {
    if (deletions.length === 0) return new Set();
    const ids = deletions.map(({ id }) => id);
    await scope.assertMayWrite();
    await this.touchAll(scope, this.toFilter({ _id: { $in: ids } }), 'deletionStartedAt');
    await sleep(deletionWaitMilliseconds);
    const used = await this.findUsed(scope, ids);
    const isUsed = ({ id }: TeamUpdate) => used.has(String(id));
    const unused = deletions.filter((deletion) => !isUsed(deletion));
    const kept = new Set([...deletions.filter(isUsed), ...(await this.deleteMarked(scope, unused))]);
    const keptIds = [...kept].map(({ id }) => id);
    const deletedIds = ids.filter((id) => !keptIds.includes(id));
    if (kept.size > 0)
      await this.touchAll(scope, this.toFilter({ _id: { $in: keptIds } }), 'deletionStartedAt', undefined, '$$REMOVE');
    this.removeLate(scope, deletedIds);
    return kept;
  }

  /** Removes what requests add that are interrupted for longer than the wait, once no such request can be left. */
  private removeLate({ organization }: OrganizationScope, teamIds: readonly RecordId[]): void {
    const remove = async () => {
      const server = { organization, ...unconditional };
      for (const contents of this.contents) await contents.removeFromTeams(server, teamIds);
    };
    const onError = (error: unknown) =>
      this.logger.warn('A deleted team can have records that were added during the deletion', {
        reason: String(error),
      });
    if (teamIds.length > 0) setTimeout(() => void remove().catch(onError), visibilityDelayMilliseconds).unref();
  }

  /** Returns the deletions of teams that have changed, or that another request has decided not to delete. */
  private async deleteMarked(scope: OrganizationScope, deletions: readonly TeamUpdate[]): Promise<TeamUpdate[]> {
    if (deletions.length === 0) return [];
    const writes = deletions.map(({ id, revision, changes }) => ({
      filter: this.toFilter({ _id: id, revision, deletionStartedAt: { $exists: true } }),
      update: toUpdate<TeamRecord>(changes),
    }));
    const rejected = await this.writeMany(scope, writes);
    return deletions.filter((_deletion, index) => rejected.has(index));
  }

  /** Returns the updates that were not applied, because their teams no longer have the revision. */
  private async rename(scope: OrganizationScope, updates: readonly RenamingUpdate[], session: Session) {
    const current = updates.map(({ id, revision }) => ({ _id: id, revision }));
    const names = await this.findStoredNames(scope, current, session);
    const renames = updates.flatMap(({ id, changes }) => {
      const name = names.get(String(id));
      return name === undefined ? [] : [{ filter: { _id: id }, changes, id, name, newName: changes.name }];
    });
    await this.updateAll(scope, renames, session);
    await this.onRename(scope, renames, session);
    return updates.filter(({ id }) => !names.has(String(id)));
  }

  private runRename<R>(scope: OrganizationScope, work: (session: Session) => Promise<R>): Promise<R> {
    return this.renameQueues.memo(scope.organization.id)(() => this.transactions.run(scope, work));
  }

  private async findStoredNames(scope: OrganizationScope, teams: readonly object[], session: Session) {
    const filter = { $or: [...teams], ...notDeleted };
    const found = await this.find(scope, filter, ['_id', 'name'], { _id: 1 }, { session });
    return new Map(found.map(({ _id, name }) => [String(_id), name]));
  }
}

function isDeletion(write: BulkWrite<TeamRecord>): write is TeamUpdate {
  return 'id' in write && write.changes.deletedAt !== undefined;
}

function isRenaming(write: BulkWrite<TeamRecord>): write is RenamingUpdate {
  return 'id' in write && typeof write.changes.name === 'string';
}
