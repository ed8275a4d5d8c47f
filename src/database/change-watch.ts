import type { mongo } from 'mongoose';

/** How long the database may wait for a change before it answers that there is none, in milliseconds. */
const longestWait = 100;
/** What was learned by asking so long ago counts as the present, in milliseconds. */
const presentMilliseconds = 300;
const pauseMilliseconds = 250;
/**
 * A write that becomes visible more than so many milliseconds after its own time stamp is late. No request writes 4.5 s after it
 * began, so that late writes are rare.
 */
export const lateMilliseconds = 5_000;
/** Later than every time stamp. */
const endOfTime = new Date(8_640_000_000_000_000);

/** A change of one record. */
export interface RecordChange {
  readonly collection: string;
  readonly id: string;
  /** The fields that an update touched; undefined where it was no update. */
  readonly fields: readonly string[] | undefined;
}

/** Whoever follows the changes. */
export interface Follower {
  /** A record was changed. */
  changed(change: RecordChange): void;
  /** Changes may have been missed: whatever was remembered counts no more. Told before the watch is current again. */
  lost(): void;
  /** Told once when changes cannot be followed, and once when they can be again. */
  told(following: boolean, reason?: string): void;
}

interface ChangeEvent {
  readonly operationType: string;
  readonly ns?: { readonly coll?: string };
  readonly documentKey?: { readonly _id: unknown };
  readonly fields?: readonly string[];
}

interface CursorReply {
  readonly cursor: { readonly id: bigint; readonly firstBatch?: ChangeEvent[]; readonly nextBatch?: ChangeEvent[] };
}

/** A change of a whole collection or database. */
const isNoRecord = { documentKey: { $exists: false } };

/**
 * A late write: the database itself compares, so that others are not sent. A deletion has no stamp, and MongoDB before 6 does not
 * say when a write became visible: both count as late. An update without a new stamp does not: the server makes those of
 * fields only that no list depends on.
 */
const isLate = {
  $expr: {
    $lt: [
      { $ifNull: ['$fullDocument.updatedAt', '$updateDescription.updatedFields.updatedAt'] },
      { $subtract: [{ $ifNull: ['$wallTime', endOfTime] }, lateMilliseconds] },
    ],
  },
  $nor: [{ operationType: 'update', 'updateDescription.updatedFields.updatedAt': { $exists: false } }],
};

/**
 * Follows the changes of some collections by a change stream, and knows whether it has seen all of them: what was
 * committed before the database was asked last is known once it has answered. So the watch is current while the last
 * answered question was *asked* a moment ago; when it was answered says nothing, as a process that was paused learns.
 * It asks by itself instead of through the driver's stream, which does not tell when it asks.
 */
export class ChangeWatch {
  private readonly loop: Promise<void>;
  private readonly ending = new AbortController();
  private asked: { readonly monotonic: number; readonly wall: number } | undefined;
  private following: boolean | undefined;

  /**
   * @param client used by this watch alone, which closes it
   * @param lateOnly collections of which only late writes are followed
   */
  constructor(
    private readonly client: mongo.MongoClient,
    private readonly collections: readonly string[],
    private readonly follower: Follower,
    private readonly lateOnly: readonly string[] = [],
  ) {
    this.loop = this.follow();
  }

  /** True while no change of more than 0.3 s ago can have been missed. */
  isCurrent(): boolean {
    if (this.asked === undefined) return false;
    // The one clock stands still while a virtual machine is paused, the other may be set: both must agree.
    const elapsed = [performance.now() - this.asked.monotonic, Date.now() - this.asked.wall];
    return elapsed.every((milliseconds) => milliseconds >= 0 && milliseconds < presentMilliseconds);
  }

  /** Stops following. */
  async close(): Promise<void> {
    this.ending.abort();
    this.asked = undefined;
    await this.client.close();
    await this.loop;
  }

  private async follow(): Promise<void> {
    while (!this.isEnding()) {
      const reason = await this.followOneStream().catch((error: unknown) => (error as Error).message);
      this.asked = undefined;
      this.follower.lost();
      if (this.isEnding()) return;
      this.tell(false, reason);
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }

  /** Follows one stream to its end; why it ended. */
  private async followOneStream(): Promise<string> {
    const db = this.client.db();
    const { setName } = (await db.command({ hello: 1 })) as { setName?: string };
    // A cluster's router answers an idle stream before every shard has told its changes.
    if (setName === undefined) return 'the database is no replica set';
    const session = this.client.startSession({ causalConsistency: false });
    try {
      let reply = await this.ask(db, session, {
        aggregate: 1,
        pipeline: this.pipeline(),
        cursor: {},
        readConcern: { level: 'majority' },
      });
      while (!this.isEnding() && reply.cursor.id !== 0n) {
        this.tell(true);
        const collection = '$cmd.aggregate';
        reply = await this.ask(db, session, { getMore: reply.cursor.id, collection, maxTimeMS: longestWait });
      }
      return 'the database ended the stream';
    } finally {
      await session.endSession();
    }
  }

  private async ask(db: mongo.Db, session: mongo.ClientSession, command: mongo.Document): Promise<CursorReply> {
    const asked = { monotonic: performance.now(), wall: Date.now() };
    const reply = (await db.command(command, { session, useBigInt64: true })) as CursorReply;
    for (const event of reply.cursor.firstBatch ?? reply.cursor.nextBatch ?? []) this.hand(event);
    this.asked = asked;
    return reply;
  }

  private hand({ operationType, ns, documentKey, fields }: ChangeEvent): void {
    if (documentKey === undefined || ns?.coll === undefined) this.follower.lost();
    else {
      const updated = operationType === 'update' ? fields : undefined;
      this.follower.changed({ collection: ns.coll, id: String(documentKey._id), fields: updated });
    }
  }

  /** The changes of the collections, and of those only which fields were touched, never a value. */
  private pipeline(): mongo.Document[] {
    const updated = { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } };
    const removed = { $ifNull: ['$updateDescription.removedFields', []] };
    const truncated = { $ifNull: ['$updateDescription.truncatedArrays', []] };
    return [
      { $changeStream: {} },
      { $match: { $or: [{ 'ns.coll': { $in: [...this.collections, ...this.lateOnly] } }, isNoRecord] } },
      { $match: { $or: [{ 'ns.coll': { $in: this.collections } }, isNoRecord, isLate] } },
      {
        $project: {
          operationType: 1,
          'ns.coll': 1,
          'documentKey._id': 1,
          fields: {
            $concatArrays: [
              { $map: { input: updated, in: '$$this.k' } },
              removed,
              { $map: { input: truncated, in: '$$this.field' } },
            ],
          },
        },
      },
    ];
  }

  private tell(following: boolean, reason?: string): void {
    if (this.following === following) return;
    this.following = following;
    this.follower.told(following, reason);
  }

  private isEnding(): boolean {
    return this.ending.signal.aborted;
  }
}
