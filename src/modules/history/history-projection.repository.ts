import { Logger } from '@nestjs/common';
import { mongo } from 'mongoose';
import { toRejected } from '../../database/rejected-writes.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import type { ChangedBy } from '../../records/changed-by.js';
import { isRecordId } from '../../validation/fields.js';
import {
  changedNames,
  latestValues,
  type UpdateDescription,
  type Values,
  valuesOfFields,
  withChangedParts,
} from './history.rules.js';
import {
  changeIdOf,
  changesOfRecord,
  type HistoryKind,
  historyKinds,
  historySources,
  maxEarlier,
  type RecordChange,
  revisionOfChange,
} from './history.schema.js';

/** What the history reads of an event of the change stream. */
export interface RecordEvent {
  readonly operationType: string;
  readonly wallTime: Date;
  readonly ns: { readonly coll: string };
  readonly documentKey?: { readonly _id: unknown };
  /** Of an insertion or replacement. */
  readonly fullDocument?: Values;
  readonly updateDescription?: UpdateDescription;
}

/** A record as it is stored now: at the revision of an event, or at a later one. */
interface StoredRecord extends Values {
  readonly organizationId?: RecordId;
  readonly revision: number;
}

/** Fields whose values are objects or lists, of which an event can have a part, and which are absent if they stay. */
const nestedFields = ['changedBy', 'position', 'location', 'standings'];
const storedFields = Object.fromEntries(['organizationId', 'revision', ...nestedFields].map((name) => [name, 1]));

/**
 * Writes the history from the events of the change stream, so that requests write nothing for it. Every server may repeat the
 * work of another one: a change has one ID and one content. In pairs
 * on one server, the history costs single creations 1.15 and 1.00 of the CPU time of server and mongod (8 and 32 connections),
 * and updates 1.10 and 1.01.
 */
export class HistoryProjectionRepository {
  private readonly logger = new Logger('History');
  private readonly changes = this.database.collection<RecordChange>('recordHistory');

  constructor(private readonly database: mongo.Db) {}

  /** Stores the changes of events, and deletes those of records that were erased. */
  async write(events: readonly RecordEvent[]): Promise<void> {
    const all = events.flatMap(toKnownEvents);
    const erased = all.filter(({ operationType }) => operationType === 'delete');
    const erasedKeys = new Set(erased.map(({ key }) => key));
    const isWrite = (event: KnownEvent): event is Write => event.revision !== undefined && !erasedKeys.has(event.key);
    const writes = all.filter(isWrite);
    const stored = await this.findStored(writes.filter(({ fullDocument }) => fullDocument === undefined));
    const changes: RecordChange[] = [];
    for (const [key, ofRecord] of Map.groupBy(writes, (event) => event.key))
      changes.push(...(await this.changesOf(ofRecord, stored.get(key))));
    if (changes.length > 0) await this.changes.insertMany(changes, { ordered: false }).catch(toRejected);
    await this.deleteOf(erased);
  }

  /** Deletes the changes since a time, or all, of records that were erased while no change stream said so. */
  async deleteErased(since?: Date): Promise<void> {
    for (const kind of historyKinds) {
      const id = { $toObjectId: { $substrBytes: ['$_id', kind.length + 1, 24] } };
      const lookup = { from: historySources[kind].collection, localField: '_id', foreignField: '_id', as: 'records' };
      const stages = [
        { $match: { _id: { $gt: `${kind}.`, $lt: `${kind}/` }, ...(since && { at: { $gte: since } }) } },
        { $group: { _id: id } },
        { $lookup: { ...lookup, pipeline: [{ $project: { _id: 1 } }] } },
        { $match: { records: [] } },
      ];
      const erased = await this.changes.aggregate<{ _id: RecordId }>(stages).toArray();
      await this.deleteOf(erased.map(({ _id }) => ({ kind, id: String(_id) })));
    }
  }

  private async deleteOf(records: readonly { readonly kind: HistoryKind; readonly id: string }[]): Promise<void> {
    const deletions = records.map(({ kind, id }) => ({ deleteMany: { filter: { _id: changesOfRecord(kind, id) } } }));
    if (deletions.length > 0) await this.changes.bulkWrite(deletions, { ordered: false });
  }

  /** Returns the records of updates as they are stored now, with one query for each kind. */
  private async findStored(events: readonly KnownEvent[]): Promise<Map<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const [kind, some] of Map.groupBy(events, (event) => event.kind)) {
      const filter = { _id: { $in: [...new Set(some.map(({ id }) => id))].map(toRecordId) } };
      const records = this.database.collection<StoredRecord>(historySources[kind].collection);
      for await (const record of records.find(filter, { projection: storedFields, batchSize: 1_000 }))
        found.set(`${kind}.${String(record._id)}`, record);
    }
    return found;
  }

  /** Returns the changes of a record. An event that cannot be understood must not stop the feed of everybody. */
  private async changesOf(writes: readonly Write[], stored: StoredRecord | undefined): Promise<RecordChange[]> {
    const changes: RecordChange[] = [];
    for (const write of writes)
      try {
        if (write.fullDocument) changes.push(toWholeChange(write));
        // Otherwise the record was erased since.
        else if (stored) changes.push(await this.toChange(write, stored, changes));
      } catch (error) {
        if (error instanceof mongo.MongoError) throw error;
        const { key, revision } = write;
        this.logger.warn('A change is missing in the history', { record: key, revision, reason: String(error) });
      }
    return changes;
  }

  /**
   * Returns the change of an update, which has only a part of some values, and none of those that stay: these are values of
   * the stored record, if it still has this revision, or else those before, with the changed parts.
   * @param earlier the changes of the record before, of this batch
   */
  private async toChange(write: Write, stored: StoredRecord, earlier: readonly RecordChange[]): Promise<RecordChange> {
    const { kind, revision, updateDescription = {} } = write;
    const { updatedFields = {}, removedFields = [] } = updateDescription;
    const changed = changedNames(updateDescription);
    const names = [...historySources[kind].fields.filter((field) => changed.has(field)), 'changedBy'];
    const parts = names.filter((name) => !(name in updatedFields || removedFields.includes(name)));
    const before = () => latestValues(this.changesBefore(write, earlier, parts), revision, parts);
    const present = stored.revision === revision ? stored : withChangedParts(await before(), updateDescription);
    const valueOf = (name: string) => (parts.includes(name) ? present[name] : (updatedFields[name] ?? null));
    const known = names.map((name) => [name, valueOf(name)]).filter(([, value]) => value !== undefined);
    const { changedBy, ...values } = Object.fromEntries(known) as Values & { changedBy?: ChangedBy | null };
    const isDeleted = (updatedFields['deletedAt'] ?? null) !== null;
    const isMoved = kind === 'player' && 'teamId' in values;
    const action = isDeleted ? 'deleted' : isMoved ? 'moved' : 'updated';
    const organizationId = stored.organizationId ?? null;
    return { ...toBase(write), organizationId, action, ...(changedBy && { changedBy }), values };
  }

  /** Yields the changes of a record before one, newest first: those of this batch, and then the stored ones. */
  private async *changesBefore(
    { kind, id, revision }: Write,
    earlier: readonly RecordChange[],
    fields: readonly string[],
  ) {
    yield* earlier.toReversed();
    const first = earlier[0] === undefined ? revision : revisionOfChange(earlier[0]);
    const options = { sort: { _id: -1 }, limit: maxEarlier, projection: valuesOfFields(fields) } as const;
    yield* this.changes.find({ _id: changesOfRecord(kind, id, first) }, options);
  }
}

/** An event of a record that has a history. */
interface KnownEvent extends RecordEvent {
  readonly kind: HistoryKind;
  readonly id: string;
  readonly key: string;
  /** The revision that the event gives the record; undefined if it changes internal fields only. */
  readonly revision: number | undefined;
}
type Write = KnownEvent & { readonly revision: number };

function toKnownEvents(event: RecordEvent): KnownEvent[] {
  const kind = historyKinds.find((name) => historySources[name].collection === event.ns.coll);
  const id = String(event.documentKey?._id);
  // A record that was inserted by hand can have any ID.
  if (kind === undefined || !isRecordId(id)) return [];
  const { revision } = (event.fullDocument ?? event.updateDescription?.updatedFields ?? {}) as { revision?: number };
  return [{ ...event, kind, id, key: `${kind}.${id}`, revision }];
}

function toBase({ kind, id, revision, wallTime: at }: Write) {
  return { _id: changeIdOf(kind, id, revision), at };
}

/** Returns the change of an insertion or of a replacement, which has all values. */
function toWholeChange(write: Write): RecordChange {
  const { organizationId = null, changedBy, deletedAt, ...record } = write.fullDocument as Partial<StoredRecord>;
  const names = historySources[write.kind].fields.filter((name) => record[name] !== undefined);
  const values = Object.fromEntries(names.map((name) => [name, record[name]]));
  const isDeleted = (deletedAt ?? null) !== null;
  const action = write.operationType === 'insert' ? 'created' : isDeleted ? 'deleted' : 'updated';
  const by = changedBy === undefined ? {} : { changedBy: changedBy as ChangedBy };
  return { ...toBase(write), organizationId, action, ...by, values, isComplete: true };
}
