import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import { Clock } from '../../config/clock.js';
import { teamDeletionEnd, teamDeletionWait } from '../../config/time-windows.js';
import type { Tenant } from '../../access/request-context.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import type { CoherentCache } from '../../database/coherent-cache.js';
import { equalTo } from '../../database/list-queries.js';
import { type FieldChanges, type Preconditions, type RecordId, toRecordId } from '../../database/record.js';
import type { BulkWrite, StoredUpdate } from '../../records/outcome.js';
import { keepFormer } from '../../database/former-values.js';
import { type FieldValues, SyncedRepository } from '../../records/synced.repository.js';
import { Team, TeamRecord } from './team.schema.js';

const ofGames = ['_id', 'name', 'externalId', 'formerNames', 'season', 'formerSeasons'] as const;
/** What games have of a team: its name, and those that they can still have, and its seasons. */
export type TeamOfGames = Pick<TeamRecord, (typeof ofGames)[number]>;
type TeamUpdate = StoredUpdate<TeamRecord>;
/** A team whose changes of name or season its games may not have yet. */
export type ChangedTeam = TeamOfGames & Required<Pick<TeamRecord, 'formerNames'>>;

/** Records that belong to teams. */
export interface TeamContents {
  /** What the records are, in the plural. */
  readonly noun: string;
  /** Counts the records of those teams that have any. */
  countOfTeams(tenant: Tenant, teamIds: readonly RecordId[]): Promise<{ _id: RecordId; count: number }[]>;
}

const rankedFields = ['_id', 'name', 'externalId', 'isArchived', 'season', 'formerSeasons'] as const;
const isRenamed = { 'formerNames.at': { $exists: true } } as const;
/** Of an organization at a time, so that others do not wait for all of its teams. */
const maxRenamed = 100;
const cachedTeams = 20_000;

@Injectable()
export class TeamsRepository extends SyncedRepository<TeamRecord, keyof Team> {
  /** Names by organization and team, so that no organization gets another one's. */
  private readonly names: CoherentCache<TeamOfGames>;
  /** Runs before the response to a request that has sent names or seasons of teams. */
  onRename: (tenant: Tenant, teamIds: readonly RecordId[]) => Promise<void> = () => Promise.resolve();
  /** The records that belong to teams, without which a team can be deleted. */
  readonly contents: TeamContents[] = [];

  constructor(@InjectModel(TeamRecord.name) model: Model<TeamRecord>, clock: Clock, changeStream: ChangeStreamService) {
    super(model, fieldNamesOf(Team), clock);
    this.names = changeStream.createCache([model.collection.name], cachedTeams, ({ _id }) => [String(_id)]);
  }

  /** Returns what games have of teams that are not being deleted, by lower-case IDs, cached or read with one query. */
  async findNames(tenant: Tenant, ids: readonly string[]): Promise<TeamOfGames[]> {
    const keyOf = (id: string) => `${tenant.organization.id}/${id}`;
    return this.names.getOrLoadAll(ids, keyOf, (missing) =>
      this.findUsable(tenant, { _id: { $in: missing.map(toRecordId) } }),
    );
  }

  /** The same by external IDs, with one query. */
  async findNamesByExternalIds(tenant: Tenant, externalIds: readonly string[]): Promise<TeamOfGames[]> {
    if (externalIds.length === 0) return [];
    return this.findUsable(tenant, { externalId: { $in: [...externalIds] } });
  }

  private findUsable(tenant: Tenant, filter: QueryFilter<TeamRecord>): Promise<TeamOfGames[]> {
    const interrupted = new Date(this.clock.now().getTime() - teamDeletionEnd);
    return this.find(tenant, { ...filter, deletionStartedAt: { $not: { $gt: interrupted } } }, ofGames, {});
  }

  /** Age groups and genders are equal in any case. */
  protected override toFilter({ ageGroup, gender, ...values }: FieldValues<TeamRecord>) {
    const equal = (value: unknown) => (typeof value === 'string' ? equalTo(value) : undefined);
    return super.toFilter({ ...values, ageGroup: equal(ageGroup), gender: equal(gender) });
  }

  /** Returns what those of the teams have that have players or schedules, such as `players (15) and schedules (6)`. */
  async findUsed(tenant: Tenant, teamIds: readonly RecordId[]): Promise<ReadonlyMap<string, string>> {
    const used = new Map<string, string>();
    if (teamIds.length === 0) return used;
    const counts = await Promise.all(this.contents.map((contents) => contents.countOfTeams(tenant, teamIds)));
    for (const [index, { noun }] of this.contents.entries())
      for (const { _id, count } of counts[index] ?? []) {
        const others = used.get(String(_id));
        used.set(String(_id), `${others ? `${others} and ` : ''}${noun} (${count})`);
      }
    return used;
  }

  /** Returns the IDs of the teams of a season; with an ID, only that one, if it is in the season. */
  async findIdsBySeason(tenant: Tenant, season: string, id?: string): Promise<string[]> {
    const found = await this.find(tenant, this.toFilter({ season, _id: id }), ['_id'], { createdAt: 1, _id: 1 });
    return found.map(({ _id }) => String(_id));
  }

  /** Returns the teams of a season, and these others, oldest first. */
  findRanked(
    tenant: Tenant,
    season: RecordId,
    others: readonly RecordId[],
    filters: FieldValues<Pick<Team, 'ageGroup' | 'gender'>>,
  ) {
    const filter = { ...this.toFilter(filters), $or: [{ season }, { _id: { $in: [...others] } }] };
    return this.find(tenant, filter, rankedFields, { createdAt: 1, _id: 1 });
  }

  override async updateById(context: Tenant & Preconditions, id: string, changes: FieldChanges<TeamRecord>) {
    const updated = await super.updateById(context, id, changes);
    if (updated !== null && isRename(changes)) await this.onRename(context, [updated._id]);
    return updated;
  }

  /** Writes all teams, but deletes only those that have become unused. */
  override async writeAll(tenant: Tenant, writes: readonly BulkWrite<TeamRecord>[]) {
    const others = writes.filter((write) => !isDeletion(write));
    const rejected = await super.writeAll(tenant, others);
    const renamed = others.flatMap((write) => {
      return 'id' in write && isRename(write.changes) && !rejected.has(write) ? [write.id] : [];
    });
    if (renamed.length > 0) await this.onRename(tenant, renamed);
    return new Set([...rejected, ...(await this.deleteUnused(tenant, writes.filter(isDeletion)))]);
  }

  /** Also keeps the former name and season in the same write, so that a server that stops afterwards leaves no game with them. */
  protected override toPipeline(update: UpdateQuery<TeamRecord>): object[] {
    const { updatedAt: at, changedBy } = update.$set as Pick<TeamRecord, 'updatedAt' | 'changedBy'>;
    const former = { name: '$name', at, changedBy: { $literal: changedBy } };
    return [
      ...keepFormer('formerNames', ['name', 'season'], update, former),
      ...keepFormer('formerSeasons', ['season'], update, { season: '$season', until: at }),
      ...super.toPipeline(update),
    ];
  }

  /** Returns the IDs of the organizations that have renamed teams. */
  findRenaming(): Promise<string[]> {
    return this.findOrganizationIds(isRenamed);
  }

  /** Returns the teams that have former names, of these or of the organization, the earliest rename first. */
  findRenamed(tenant: Tenant, ids?: readonly RecordId[]): Promise<ChangedTeam[]> {
    const filter = { ...isRenamed, ...(ids && { _id: { $in: [...ids] } }) };
    const options = { limit: maxRenamed, withDeleted: true };
    return this.find(tenant, filter, ofGames, { 'formerNames.at': 1 }, options) as Promise<ChangedTeam[]>;
  }

  /** Removes the former names of renames until a time. */
  async forgetNames(tenant: Tenant, _id: RecordId, until: Date): Promise<void> {
    await this.updateOne(tenant, { _id }, { $pull: { formerNames: { at: { $lte: until } } } }, ['_id'], {
      withDeleted: true,
    });
  }

  /**
   * Deletes teams to which nothing can be added during the deletion: marks them, so that no request finds them any more,
   * waits for requests that have found them before, and deletes those that have no records then. A transaction would not
   * do: a create sends only its insert, with which it could not conflict. Returns the other deletions, whose teams stay marked
   * for `teamDeletionEnd`.
   */
  private async deleteUnused(
    tenant: Tenant,
    deletions: readonly TeamUpdate[],
  ): Promise<ReadonlySet<BulkWrite<TeamRecord>>> {
    if (deletions.length === 0) return new Set();
    const ids = deletions.map(({ id }) => id);
    await tenant.assertMayWrite();
    await this.updateMany(tenant, this.toFilter({ _id: { $in: ids } }), [{ $set: { deletionStartedAt: '$$NOW' } }]);
    await sleep(teamDeletionWait);
    const used = await this.findUsed(tenant, ids);
    const isUsed = ({ id }: TeamUpdate) => used.has(String(id));
    const rejected = await super.writeAll(
      tenant,
      deletions.filter((each) => !isUsed(each)),
    );
    return new Set([...rejected, ...deletions.filter(isUsed)]);
  }
}

function isDeletion(write: BulkWrite<TeamRecord>): write is TeamUpdate {
  return 'id' in write && write.changes.deletedAt !== undefined;
}

/** Returns whether changes of a team have a name or season, which its games follow. */
function isRename({ name, season }: FieldChanges<TeamRecord>): boolean {
  return Boolean(name ?? season);
}
