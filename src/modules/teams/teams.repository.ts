import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import pLimit, { type LimitFunction } from 'p-limit';
import { Clock } from '../../config/clock.js';
import type { OrganizationScope } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { notDeleted } from '../../database/organization.repository.js';
import { type FieldChanges, type IfMatch, type RecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { type BulkWrite, SyncedRepository } from '../../records/synced.repository.js';
import { Team, teamModel, type TeamRecord } from './team.schema.js';

type TeamName = Pick<TeamRecord, '_id' | 'name'>;
/** An update that gives a team another name. */
type RenamingUpdate = Extract<BulkWrite<TeamRecord>, { id: RecordId }> & {
  readonly changes: { readonly name: string };
};

/** A team that gets another name. */
export interface Rename {
  readonly id: RecordId;
  readonly name: string;
  readonly newName: string;
}

/** Changes what repeats the names of teams, in the transaction that renames them. */
export type RenameListener = (scope: OrganizationScope, renames: readonly Rename[], session: Session) => Promise<void>;

const cachedTeams = 20_000;

@Injectable()
export class TeamsRepository extends SyncedRepository<TeamRecord, keyof Team> {
  /** Names by organization and team, so that no organization gets another one's. */
  private readonly names: CoherentCache<TeamName>;
  /** Renames of an organization wait for each other, because concurrent transactions on the same records abort each other. */
  private readonly renameQueues = new LRUCache<string, LimitFunction>({ max: 1_000, memoMethod: () => pLimit(1) });
  onRename: RenameListener = () => Promise.resolve();

  constructor(
    @InjectModel(teamModel) model: Model<TeamRecord>,
    clock: Clock,
    changes: ChangeStreamService,
    private readonly transactions: Transactions,
  ) {
    super(model, fieldNamesOf(Team), clock);
    const collections = [model.collection.name];
    this.names = changes.createCache({ collections, max: cachedTeams, idsOf: ({ _id }) => [String(_id)] });
  }

  /** Returns the names of teams of the organization, by lower-case IDs, cached or read with one query. */
  async findNames(scope: OrganizationScope, ids: readonly string[]): Promise<TeamName[]> {
    const keyOf = (id: string) => `${scope.organization.id}/${id}`;
    return this.names.getOrLoadAll(ids, keyOf, (missing) =>
      this.find(scope, { _id: { $in: missing.map(toRecordId) }, ...notDeleted }, ['_id', 'name'], { _id: 1 }),
    );
  }

  /** Updates a team. If a name is sent, what repeats the old name changes in the same transaction. */
  override updateById(
    context: OrganizationScope & IfMatch,
    id: string,
    changes: FieldChanges<TeamRecord>,
  ): Promise<Team | null> {
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

  /** Writes all teams, and those that get another name in a transaction with what repeats their old names. */
  override async writeAll(scope: OrganizationScope, writes: readonly BulkWrite<TeamRecord>[]) {
    const others = writes.filter((write) => !isRenaming(write));
    const renames = writes.filter(isRenaming);
    const rejected = await super.writeAll(scope, others);
    if (renames.length === 0) return rejected;
    const outdated = await this.runRename(scope, (session) => this.rename(scope, renames, session));
    return new Set([...rejected, ...outdated]);
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

function isRenaming(write: BulkWrite<TeamRecord>): write is RenamingUpdate {
  return 'id' in write && typeof write.changes.name === 'string';
}
