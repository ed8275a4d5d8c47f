import { Injectable, Logger } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { cacheAge, streamWait } from '../config/time-windows.js';
import { Metrics } from '../observability/metrics.js';
import { BackgroundLoop } from './background-loop.js';
import { CoherentCache } from './coherent-cache.js';
import { DatabaseService } from './database.service.js';
import { type ChangedRecord, recordChanged } from './operation-events.js';

const retryDelay = 250;

interface ChangeEvent {
  readonly ns?: { readonly coll?: string };
  readonly documentKey?: { readonly _id: unknown };
}

/** Matches events without a record, such as a dropped collection. */
const isNoRecord = { documentKey: { $exists: false } };

/**
 * Invalidates caches: immediately after a write of this process, and by one change stream after a write of any other. The
 * stream is current if its last completed request was *sent* less than `cacheAge` ago: everything committed before is known.
 * The time of the response proves nothing, since a process that was paused reads old responses first. This service
 * reads a plain cursor, because the driver's change streams do not reveal which change is the last one of a response.
 * Every open stream costs MongoDB work on each write, so all caches share one.
 */
@Injectable()
export class ChangeStreamService extends BackgroundLoop {
  private readonly caches: {
    readonly collections: readonly string[];
    readonly cache: Pick<CoherentCache<object>, 'invalidate' | 'clear'>;
  }[] = [];
  private client: mongo.MongoClient | undefined;
  private lastSent: { readonly monotonic: number; readonly wall: number } | undefined;
  private isFollowing: boolean | undefined;
  /** Why the change stream does not work; undefined while it works, and before the first attempt. */
  failureReason: string | undefined;

  constructor(
    private readonly database: DatabaseService,
    metrics: Metrics,
  ) {
    super(new Logger('ChangeStream'), 'The change stream ended', retryDelay);
    metrics.registerGauges({ ffapi_change_stream_up: () => this.isCurrent() });
    recordChanged.subscribe(this.onLocalChange);
  }

  /** Creates a cache of values that are read from some collections; call it before `start`. */
  createCache<V extends object>(
    collections: readonly string[],
    max: number,
    idsOf: (value: V) => readonly string[],
  ): CoherentCache<V> {
    const cache = new CoherentCache<V>(() => this.isCurrent(), max, idsOf);
    this.caches.push({ collections, cache });
    return cache;
  }

  /** Returns whether every change older than `cacheAge` is known. */
  isCurrent(): boolean {
    if (this.lastSent === undefined) return false;
    // The monotonic clock stops while a virtual machine is paused, and the wall clock may be set: both must agree.
    const elapsed = [performance.now() - this.lastSent.monotonic, Date.now() - this.lastSent.wall];
    return elapsed.every((milliseconds) => milliseconds >= 0 && milliseconds < cacheAge);
  }

  override async onApplicationShutdown(): Promise<void> {
    recordChanged.unsubscribe(this.onLocalChange);
    const stopped = super.onApplicationShutdown();
    this.lastSent = undefined;
    await this.client?.close();
    await stopped;
  }

  private readonly onLocalChange = (changed: unknown): void => {
    this.invalidate(changed as ChangedRecord);
  };

  private invalidate({ collection, id }: ChangedRecord): void {
    for (const { collections, cache } of this.caches) {
      if (!collections.includes(collection)) continue;
      if (id === undefined) cache.clear();
      else cache.invalidate(id);
    }
  }

  protected async work(): Promise<void> {
    const reason = await this.followOneStream().catch((error: unknown) => (error as Error).message);
    this.lastSent = undefined;
    this.clear();
    if (!this.signal.aborted) this.setStatus(false, reason);
  }

  /** Reads one stream until it ends, and returns why it ended. */
  private async followOneStream(): Promise<string> {
    const client = (this.client ??= this.database.createClient());
    const open = { aggregate: 1, pipeline: this.pipeline(), cursor: {}, readConcern: { level: 'majority' } };
    const cursor = client.db().runCursorCommand(open).setMaxTimeMS(streamWait);
    try {
      while (!this.signal.aborted) {
        const sent = { monotonic: performance.now(), wall: Date.now() };
        const event = (await cursor.tryNext()) as ChangeEvent | null;
        if (event === null && cursor.closed) break;
        if (event !== null) [event, ...(cursor.readBufferedDocuments() as ChangeEvent[])].forEach(this.handle);
        this.lastSent = sent;
        this.setStatus(true);
      }
      return 'the database ended the stream';
    } finally {
      await cursor.close();
    }
  }

  private readonly handle = ({ ns, documentKey }: ChangeEvent): void => {
    const collection = ns?.coll;
    if (documentKey === undefined || collection === undefined) this.clear();
    else this.invalidate({ collection, id: String(documentKey._id) });
  };

  /** Clears every cache, since changes may have been missed. */
  private clear(): void {
    for (const { cache } of this.caches) cache.clear();
  }

  private setStatus(isFollowing: boolean, reason = 'unknown'): void {
    this.failureReason = isFollowing ? undefined : reason;
    if (this.isFollowing === isFollowing) return;
    this.isFollowing = isFollowing;
    if (isFollowing) this.logger.log('The change stream is connected; API keys, teams and seasons are cached');
    else this.logger.warn('There is no change stream; every request reads its API key from MongoDB', { reason });
  }

  /** Builds a pipeline that selects the subscribed changes, without the values of records. */
  private pipeline(): mongo.Document[] {
    const subscribed = this.caches.flatMap(({ collections }) => collections);
    return [
      { $changeStream: {} },
      { $match: { $or: [{ 'ns.coll': { $in: subscribed } }, isNoRecord] } },
      { $project: { 'ns.coll': 1, 'documentKey._id': 1 } },
    ];
  }
}
