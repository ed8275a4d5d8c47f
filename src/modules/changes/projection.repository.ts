import { mongo } from 'mongoose';
import { toRejected } from '../../database/rejected-writes.js';
import { type RecordId, toRecordId } from '../../database/record.js';
import { HistoryProjectionRepository, type RecordEvent } from '../history/history-projection.repository.js';
import type { ScheduleRecord } from '../schedules/schedule.schema.js';
import {
  type Change,
  changeKinds,
  type ChangeSource,
  changeSources,
  type Checkpoint,
  checkpointId,
  clusterTimeOf,
  expiryOf,
  recordIdOf,
  statisticsSource,
  timeOf,
  toText,
} from './change.schema.js';

/** How many events are read together. Fewer mean that the stream has no more. */
const batchSize = 1_000;
/** The oplog or its cursor lost the position, the resume token is invalid, or an event is larger than 16 MB. */
const lostCodes: ReadonlySet<unknown> = new Set([136, 260, 280, 286, 326, 10334]);
/** Before every cluster time. */
const noTime = '0'.repeat(16);
const endOfTimes = 'f'.repeat(16);

const pipeline = [
  { $match: { 'ns.coll': { $in: changeSources.map(({ collection }) => collection) } } },
  // The first response to an idem-key is as large as the record.
  { $unset: 'fullDocument.idempotency' },
];

/** The stored fields that say what has changed. */
type StoredFields = Partial<
  Pick<
    ScheduleRecord,
    'organizationId' | 'revision' | 'statisticsRevision' | 'updatedAt' | 'deletedAt' | 'statisticsWrittenAt'
  >
>;

/** An event of the change stream. That of a dropped or renamed collection has no `documentKey`. */
interface ChangeEvent extends RecordEvent {
  readonly clusterTime: mongo.Timestamp;
}

/** A row to be moved. It is inserted if it has an organization and does not exist. */
type MovedRow = Omit<Change, 'organizationId'> & { readonly organizationId?: RecordId | null | undefined };

/** The change stream cannot continue, so that the feed must be rebuilt. */
export class ChangesLost extends Error {}

/** Reads the change stream and writes the feed, on a connection that requests do not use. */
export class ProjectionRepository {
  private readonly database = this.client.db();
  private readonly rows = this.database.collection<Change>('changes');
  private readonly checkpoints = this.database.collection<Checkpoint>('changes');
  private readonly history = new HistoryProjectionRepository(this.database);

  /** The time to which records are moved by the rebuild of this process. */
  private rebuiltTo = endOfTimes;

  constructor(private readonly client: mongo.MongoClient) {}

  /** Returns how far the feed is complete, or null before it is built. */
  findCheckpoint(): Promise<Checkpoint | null> {
    return this.checkpoints.findOne({ _id: checkpointId });
  }

  /**
   * Deletes the latest changes of records that were erased. A server that was behind can have added them after another one
   * had deleted the history, and been killed before it read of the erasure.
   */
  deleteErased(): Promise<void> {
    return this.history.deleteErased(new Date(Date.now() - 60 * 60 * 1_000));
  }

  watch({ position, resumeToken }: Checkpoint): mongo.ChangeStream {
    const start =
      resumeToken === undefined ? { startAtOperationTime: clusterTimeOf(position) } : { resumeAfter: resumeToken };
    const options = { readConcern: { level: 'majority' }, batchSize, maxAwaitTimeMS: 1 } as const;
    return this.database.watch(pipeline, { ...start, ...options });
  }

  /**
   * Reads the next events with one command. Returns them, how far the feed is complete with these, and whether there are no
   * more.
   * @throws ChangesLost if the stream cannot continue or a collection was dropped or renamed
   */
  async read(stream: mongo.ChangeStream) {
    const events: ChangeEvent[] = [];
    try {
      do {
        const event = (await stream.tryNext()) as ChangeEvent | null;
        if (event !== null) events.push(event);
      } while (stream.bufferedCount() > 0);
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError) || !lostCodes.has(error.code)) throw error;
      throw new ChangesLost(error.message, { cause: error });
    }
    const isLost = stream.closed || events.some(({ documentKey }) => documentKey === undefined);
    if (isLost) throw new ChangesLost('A collection was dropped or renamed');
    const isDrained = events.length < batchSize;
    const { resumeToken } = stream;
    const last = events.at(-1);
    // More events of the last transaction can follow a full batch.
    const position = isDrained && last !== undefined ? `${toText(last.clusterTime)}~` : timeOf(resumeToken);
    const checkpoint: Checkpoint = { _id: checkpointId, position, resumeToken };
    return { events, checkpoint, isDrained };
  }

  /** Moves the row of each record to its latest change, and writes the history. Both have the events up to the checkpoint. */
  async write(events: readonly ChangeEvent[]): Promise<void> {
    const { position: done = '' } = (await this.findCheckpoint()) ?? {};
    const isLater = ({ clusterTime }: ChangeEvent) => `${toText(clusterTime)}.` > done;
    // Deletions again, because a slower server can have inserted a change of an erased record since.
    const ofHistory = events.filter((event) => event.operationType === 'delete' || isLater(event));
    await Promise.all([this.history.write(ofHistory), this.writeRows(events.filter(isLater).flatMap(rowsOf))]);
  }

  private async writeRows(rows: readonly MovedRow[]): Promise<void> {
    // An update of a schedule does not contain the organization, which a new row needs.
    const written = rows.filter(({ kind, expiresAt }) => kind === 'playerStatistics' && expiresAt === undefined);
    const ids = written.map((row) => toRecordId(recordIdOf(row)));
    if (ids.length > 0) await this.merge(statisticsSource, noTime, { _id: { $in: ids } });
    await this.move(rows);
  }

  /** Inserts rows, which takes MongoDB a fifth of the time of an upsert, and moves those that exist. */
  private async move(rows: readonly MovedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const write = this.rows.bulkWrite(rows.map(toWrite), { ordered: false });
    const existing = await write.then(() => new Set<number>(), toRejected);
    await this.move(rows.filter((_row, index) => existing.has(index)).map(({ organizationId, ...row }) => row));
  }

  /** Stores a checkpoint unless a later one is stored; `built` only with the first. A majority must have all rows up to it. */
  async saveCheckpoint({ _id, built, ...$set }: Checkpoint): Promise<void> {
    const filter = { _id, position: { $lte: $set.position } };
    const first = built === undefined ? {} : { $setOnInsert: { built } };
    const update = { $set, ...first, ...(!('resumeToken' in $set) && { $unset: { resumeToken: 1 } as const }) };
    await this.checkpoints.bulkWrite([{ updateOne: { filter, update, upsert: true } }]).catch(toRejected);
  }

  /** Returns how many records the rebuild has moved, and about how many there are. Reads only indexes and metadata. */
  async progress(): Promise<string> {
    const done = await this.rows.countDocuments({ position: { $gte: this.rebuiltTo } }, { hint: 'latest_changes' });
    let total = 0;
    for (const name of new Set(changeSources.map(({ collection }) => collection)))
      total += await this.database.collection(name).estimatedDocumentCount();
    // Statistics have rows of their own.
    const [moved, all] = [done, Math.max(done, total)].map((count) => count.toLocaleString('en'));
    return `${moved} of about ${all}`;
  }

  /**
   * Moves every record to the time up to which a majority has all writes, and rows without a record as deleted ones.
   * Returns the checkpoint at which the change stream continues.
   */
  rebuild(): Promise<Checkpoint> {
    // The session lets each read see everything up to the time, even after a failover.
    return this.client.withSession({ causalConsistency: true }, async (session) => {
      const hello = await this.database.command({ hello: 1 }, { session });
      const { lastWrite } = hello as unknown as { lastWrite: { majorityOpTime: { ts: mongo.Timestamp } } };
      const time = toText(lastWrite.majorityOpTime.ts);
      this.rebuiltTo = time;
      const checkpoint: Checkpoint = { _id: checkpointId, position: `${time}~`, rebuilt: `${time}~`, built: time };
      // Throws before a row is moved if there is no change stream from here.
      const stream = this.watch(checkpoint);
      await stream.tryNext();
      await stream.close();
      // Before a row is moved, so that no webhook is sent for it.
      await this.checkpoints.updateOne({ _id: checkpointId }, { $max: { rebuilt: checkpoint.position } });
      for (const source of changeSources) await this.merge(source, time, {}, session);
      const missing = { kind: { $in: [...changeKinds] }, position: { $lt: time }, expiresAt: { $exists: false } };
      const position = { $concat: [`${time}.`, '$_id'] };
      await this.rows.updateMany(missing, [{ $set: { position, changedAt: '$$NOW', expiresAt: expiryOf(time) } }]);
      await this.history.deleteErased();
      await this.saveCheckpoint(checkpoint);
      return checkpoint;
    });
  }

  /** Moves the rows of records that are not deleted to a cluster time, except those that are further ahead. */
  private async merge(
    { kind, collection, changedAt }: ChangeSource,
    time: string,
    filter: object,
    session?: mongo.ClientSession,
  ): Promise<void> {
    const _id = { $concat: [`${kind}.`, { $toString: '$_id' }] };
    const position = { $concat: [`${time}.${kind}.`, { $toString: '$_id' }] };
    const organizationId = { $ifNull: ['$organizationId', null] };
    const later = { $cond: [{ $gt: ['$$new.position', '$position'] }, '$$new', '$$ROOT'] };
    const stages = [
      { $match: { ...filter, deletedAt: null, [changedAt]: { $exists: true } } },
      { $project: { _id, kind: { $literal: kind }, organizationId, position, changedAt: `$${changedAt}` } },
      { $merge: { into: 'changes', whenMatched: [{ $replaceWith: later }] } },
    ];
    const options = session && ({ session, readConcern: { level: 'majority' } } as const);
    await this.database.collection(collection).aggregate(stages, options).toArray();
  }
}

/** Returns the rows that an event moves: none for an update of internal fields. */
function rowsOf(event: ChangeEvent): MovedRow[] {
  const { operationType, wallTime: changedAt, ns, documentKey, fullDocument, updateDescription } = event;
  const time = toText(event.clusterTime);
  const changed: StoredFields = fullDocument ?? updateDescription?.updatedFields ?? {};
  const isDeleted = operationType === 'delete' || (changed.deletedAt ?? null) !== null;
  // Two updates within a millisecond have the same time, but not the same number.
  const updatedAt = changed.updatedAt ?? changed.revision;
  const statisticsWrittenAt = changed.statisticsWrittenAt ?? changed.statisticsRevision;
  const changedAts = { updatedAt, statisticsWrittenAt };
  const organizationId = fullDocument && { organizationId: changed.organizationId ?? null };
  const expiresAt = isDeleted && { expiresAt: expiryOf(time) };
  const sources = changeSources.filter(({ collection }) => collection === ns.coll);
  return sources
    .filter((source) => isDeleted || changedAts[source.changedAt] !== undefined)
    .map(({ kind }) => {
      const _id = `${kind}.${String(documentKey?._id)}`;
      const position = `${time}.${_id}`;
      const created = operationType === 'insert' && { created: position };
      return { _id, kind, position, changedAt, ...organizationId, ...created, ...expiresAt };
    });
}

/**
 * Moves a row unless another server has moved it further, so that a slower server does not revive a deleted record. A record
 * that was erased after its deletion is not deleted again.
 */
function toWrite({ organizationId, ...row }: MovedRow): mongo.AnyBulkWriteOperation<Change> {
  if (organizationId !== undefined) return { insertOne: { document: { ...row, organizationId } } };
  const { _id, ...$set } = row;
  const filter = { _id, position: { $lt: row.position } };
  if (row.expiresAt === undefined) return { updateOne: { filter, update: { $set, $unset: { expiresAt: 1 } } } };
  return { updateOne: { filter: { ...filter, expiresAt: { $exists: false } }, update: { $set } } };
}
