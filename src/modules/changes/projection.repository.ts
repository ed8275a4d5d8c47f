import { mongo } from 'mongoose';
import { isDatabaseUnavailable } from '../../database/database-error.filter.js';
import type { RecordId } from '../../database/record.js';
import { type Change, changeKinds, type Checkpoint, checkpointId, expiryOf } from './change.schema.js';

/** How many events are read at once. Fewer mean that the stream has no more. */
const batchSize = 1_000;
const duplicateKey = 11000;

/** What the feed contains, with the time of the latest change. */
const sources = [
  { kind: 'season', collection: 'seasons', changedAt: 'updatedAt' },
  { kind: 'team', collection: 'teams', changedAt: 'updatedAt' },
  { kind: 'player', collection: 'players', changedAt: 'updatedAt' },
  { kind: 'schedule', collection: 'schedules', changedAt: 'updatedAt' },
  { kind: 'playerStatistics', collection: 'schedules', changedAt: 'statisticsWrittenAt' },
] as const;

const fields = { organizationId: 1, updatedAt: 1, deletedAt: 1, statisticsWrittenAt: 1 };
const pipeline = [
  { $match: { 'ns.coll': { $in: sources.map(({ collection }) => collection) } } },
  {
    $project: {
      ...{ operationType: 1, ns: 1, documentKey: 1, clusterTime: 1, wallTime: 1 },
      ...{ fullDocument: fields, updateDescription: { updatedFields: fields } },
    },
  },
];

interface SourceFields {
  readonly organizationId?: RecordId;
  readonly updatedAt?: Date;
  readonly deletedAt?: Date | null;
  readonly statisticsWrittenAt?: Date;
}

/** An event of the change stream. A dropped collection has no `documentKey`. */
interface ChangeEvent {
  readonly operationType: string;
  readonly clusterTime: mongo.Timestamp;
  readonly wallTime: Date;
  readonly ns: { readonly coll: string };
  readonly documentKey?: { readonly _id: unknown };
  /** Of an insertion or replacement. */
  readonly fullDocument?: SourceFields;
  readonly updateDescription?: { readonly updatedFields?: SourceFields };
}

/** An event with its cluster time as text. */
type TimedEvent = ChangeEvent & { readonly time: string };

/** A row to be moved. Without an organization it is not created if it does not exist. */
type MovedRow = Omit<Change, 'organizationId'> & Partial<Pick<Change, 'organizationId'>> & { isErased: boolean };

/** In `$merge`: replaces a row unless it is further ahead. */
const replaceEarlier = {
  $replaceWith: { $cond: [{ $gt: ['$$new.position', '$position'] }, '$$new', '$$ROOT'] },
};

/** The change stream cannot continue, so that the feed must be rebuilt. */
export class ChangesLost extends Error {}

/** Reads the change stream and writes the feed, on a connection that requests do not use. */
export class ProjectionRepository {
  private readonly database: mongo.Db;
  private readonly rows: mongo.Collection<Change>;
  private readonly checkpoints: mongo.Collection<Checkpoint & { _id: string }>;

  constructor(private readonly client: mongo.MongoClient) {
    this.database = client.db();
    this.rows = this.database.collection('changes');
    this.checkpoints = this.database.collection('changeCheckpoints');
  }

  /** Returns how far the feed is complete, or null before it is built. */
  findCheckpoint(): Promise<Checkpoint | null> {
    return this.checkpoints.findOne({ _id: checkpointId });
  }

  /** Stores a checkpoint unless a later one is stored. A majority must have all rows up to it. */
  async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const filter = { _id: checkpointId, time: { $lte: checkpoint.time } };
    await this.checkpoints.replaceOne(filter, checkpoint, { upsert: true }).catch((error: unknown) => {
      if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKey) throw error;
    });
  }

  /** Returns the cluster time up to which a majority has all writes. */
  private async findCommittedTime(session: mongo.ClientSession): Promise<string> {
    const hello = await this.database.command({ hello: 1 }, { session });
    const { lastWrite } = hello as { lastWrite?: { majorityOpTime: { ts: mongo.Timestamp } } };
    if (lastWrite === undefined) throw new Error('MongoDB is not a replica set');
    return toHex(lastWrite.majorityOpTime.ts.toBigInt());
  }

  /** Opens the change stream at a checkpoint. */
  watch({ time, resumeToken }: Checkpoint): mongo.ChangeStream {
    const startAtOperationTime = new mongo.Timestamp(BigInt(`0x${time}`));
    const start = resumeToken === undefined ? { startAtOperationTime } : { resumeAfter: resumeToken };
    const options = { readConcern: { level: 'majority' }, batchSize, maxAwaitTimeMS: 1 } as const;
    return this.database.watch(pipeline, { ...start, ...options });
  }

  /**
   * Reads the next events with one command, and returns whether they are all that were committed.
   * @throws ChangesLost if the stream cannot continue or a collection was dropped
   */
  async readEvents(stream: mongo.ChangeStream): Promise<{ events: TimedEvent[]; isDrained: boolean }> {
    const events: TimedEvent[] = [];
    try {
      do {
        const event = (await stream.tryNext()) as ChangeEvent | null;
        if (event !== null) events.push({ ...event, time: toHex(event.clusterTime.toBigInt()) });
      } while (stream.bufferedCount() > 0);
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError) || isDatabaseUnavailable(error)) throw error;
      throw new ChangesLost(error.message, { cause: error });
    }
    const isLost = stream.closed || events.some(({ documentKey }) => documentKey === undefined);
    if (isLost) throw new ChangesLost('A collection was dropped');
    return { events, isDrained: events.length < batchSize };
  }

  /** Moves the rows of events forward, except those that another server has moved further. */
  async applyEvents(events: readonly TimedEvent[]): Promise<void> {
    const done = (await this.findCheckpoint())?.time ?? '';
    const pending = events.filter(({ time }) => time > done);
    const owners = await this.findOwners(pending);
    const latestRows = (some: readonly TimedEvent[]) =>
      new Map(some.flatMap((event) => rowsOf(event, owners)).map((row) => [row._id, row])).values();
    const isInsertion = ({ operationType }: TimedEvent) => operationType === 'insert';
    const existing = await this.insertRows([...latestRows(pending.filter(isInsertion))]);
    const moved = latestRows(pending.filter((event) => !isInsertion(event)));
    const updates = [...existing, ...moved].map(toUpdate);
    if (updates.length > 0) await this.rows.bulkWrite(updates, { ordered: false });
  }

  /** Returns the organizations of statistics by row, as an update of a schedule does not contain it. */
  private async findOwners(events: readonly TimedEvent[]): Promise<ReadonlyMap<string, RecordId>> {
    const written = events.filter((event) => event.updateDescription?.updatedFields?.statisticsWrittenAt !== undefined);
    if (written.length === 0) return new Map();
    const filter = { _id: { $in: written.map(({ documentKey }) => documentKey?._id as RecordId) } };
    const schedules = this.database.collection<{ organizationId: RecordId }>('schedules');
    const found = await schedules.find(filter, { projection: { organizationId: 1 } }).toArray();
    return new Map(found.map(({ _id, organizationId }) => [`playerStatistics.${String(_id)}`, organizationId]));
  }

  /** Inserts rows, which takes MongoDB a fifth of the time of an upsert. Returns them if some exist. */
  private async insertRows(rows: readonly MovedRow[]): Promise<readonly MovedRow[]> {
    if (rows.length === 0) return [];
    try {
      await this.rows.insertMany(
        rows.map(({ isErased, ...row }) => row as Change),
        { ordered: false },
      );
      return [];
    } catch (error) {
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      if ([error.writeErrors].flat().some(({ code }) => code !== duplicateKey)) throw error;
      return rows;
    }
  }

  /**
   * Moves every record to the current time, and rows without a record as deleted ones. Returns the checkpoint at which
   * the change stream continues.
   */
  rebuild(): Promise<Checkpoint> {
    // The session lets each read see everything up to the time, also after a failover.
    return this.client.withSession({ causalConsistency: true }, async (session) => {
      const time = await this.findCommittedTime(session);
      // Throws before a row is moved if there is no change stream from here.
      const stream = this.watch({ time });
      await stream.tryNext();
      await stream.close();
      for (const { kind, collection, changedAt } of sources) {
        const _id = { $concat: [`${kind}.`, { $toString: '$_id' }] };
        const position = { $concat: [`${time}.${kind}.`, { $toString: '$_id' }] };
        const organizationId = { $ifNull: ['$organizationId', null] };
        const stages = [
          { $match: { deletedAt: null, [changedAt]: { $exists: true } } },
          { $project: { _id, kind: { $literal: kind }, organizationId, position, changedAt: `$${changedAt}` } },
          { $merge: { into: 'changes', whenMatched: [replaceEarlier] } },
        ];
        const options = { session, readConcern: { level: 'majority' } } as const;
        await this.database.collection(collection).aggregate(stages, options).toArray();
      }
      const missing = { kind: { $in: [...changeKinds] }, position: { $lt: time }, expiresAt: { $exists: false } };
      const position = { $concat: [`${time}.`, '$_id'] };
      await this.rows.updateMany(missing, [{ $set: { position, changedAt: '$$NOW', expiresAt: expiryOf(time) } }]);
      await this.saveCheckpoint({ time });
      return { time };
    });
  }
}

function toHex(time: bigint): string {
  return time.toString(16).padStart(16, '0');
}

/**
 * Returns the cluster time up to which a stream has delivered all events: the one before that of its resume token, whose
 * hexadecimal text starts with 82 and the cluster time.
 */
export function scannedTimeOf(resumeToken: unknown): string | undefined {
  const [, time] = /^82([0-9A-F]{16})/.exec((resumeToken as { _data?: string } | undefined)?._data ?? '') ?? [];
  return time === undefined ? undefined : toHex(BigInt(`0x${time}`) - 1n);
}

/** Returns the rows that an event moves: none for an update of internal fields. */
function rowsOf(event: TimedEvent, owners: ReadonlyMap<string, RecordId>): MovedRow[] {
  const { time, operationType, wallTime, ns, documentKey, fullDocument, updateDescription } = event;
  const changed = fullDocument ?? updateDescription?.updatedFields ?? {};
  const isErased = operationType === 'delete';
  const isDeleted = isErased || (changed.deletedAt ?? null) !== null;
  return sources.flatMap(({ kind, collection, changedAt }) => {
    if (collection !== ns.coll || (changed[changedAt] === undefined && !isDeleted)) return [];
    const _id = `${kind}.${String(documentKey?._id)}`;
    const owner = fullDocument ? (fullDocument.organizationId ?? null) : owners.get(_id);
    const organizationId = owner !== undefined && { organizationId: owner };
    const expiresAt = isDeleted && { expiresAt: expiryOf(time) };
    return [{ _id, kind, isErased, position: `${time}.${_id}`, changedAt: wallTime, ...organizationId, ...expiresAt }];
  });
}

/** A record that was erased after its deletion is not deleted again. */
function toUpdate({ _id, kind, isErased, organizationId, expiresAt, ...moved }: MovedRow) {
  const isNew = organizationId !== undefined;
  return {
    updateOne: {
      filter: { _id, ...(isErased && { expiresAt: { $exists: false } }) },
      update: {
        $max: { ...moved, ...(expiresAt && { expiresAt }) },
        ...(!expiresAt && { $unset: { expiresAt: 1 as const } }),
        ...(isNew && { $setOnInsert: { kind, organizationId } }),
      },
      upsert: isNew,
    },
  };
}
