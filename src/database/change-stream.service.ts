import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { pause } from '../config/clock.js';
import { Metrics } from '../observability/metrics.js';
import { CoherentCache } from './coherent-cache.js';
import { DatabaseService } from './database.service.js';
import { type ChangedRecord, recordChanged } from './operation-events.js';

/** How long MongoDB waits for a change before it returns an empty batch, in milliseconds. */
const maxAwaitTime = 100;
/**
 * The stream is current if its last completed request was sent less than this many milliseconds ago: below the 0.5 s after
 * which a revoked key is promised to be rejected.
 */
const maxAge = 300;
const retryDelay = 250;

/** Receives the changes of some collections. */
export interface ChangeSubscriber {
  readonly collections: readonly string[];
  /** Updates that touch no other fields than these are not reported. */
  readonly ignoredFields?: RegExp;
  readonly onChange: (id: string) => void;
  /** Changes may have been missed. Called before the stream is current again. */
  readonly onGap: () => void;
}

interface ChangeEvent {
  readonly operationType: string;
  readonly ns?: { readonly coll?: string };
  readonly documentKey?: { readonly _id: unknown };
  readonly fields?: readonly string[];
}

/** Matches events without a record, such as a dropped collection. */
const isNoRecord = { documentKey: { $exists: false } };

/**
 * Invalidates caches: immediately after a write of this process, and by one change stream after a write of any other. The
 * stream is current if its last completed request was *sent* less than 0.3 s ago: everything committed before is known.
 * The time of the response proves nothing, since a process that was paused reads old responses first. This service
 * reads a plain cursor, because the driver's change streams do not reveal which change is the last one of a response.
 * Every open stream costs MongoDB work on each write, so all caches share one.
 */
@Injectable()
export class ChangeStreamService implements OnApplicationShutdown {
  private readonly logger = new Logger('ChangeStream');
  private readonly subscribers: ChangeSubscriber[] = [];
  private readonly shutdown = new AbortController();
  private client: mongo.MongoClient | undefined;
  private loop: Promise<void> | undefined;
  private lastSent: { readonly monotonic: number; readonly wall: number } | undefined;
  private isFollowing: boolean | undefined;
  private failure: string | undefined;

  constructor(
    private readonly database: DatabaseService,
    metrics: Metrics,
  ) {
    metrics.registerGauges({ ffapi_change_stream_up: () => this.isCurrent() });
    recordChanged.subscribe(this.onLocalChange);
  }

  /** Why the change stream does not work; undefined while it works, and before the first attempt. */
  get failureReason(): string | undefined {
    return this.failure;
  }

  /** Subscribes to changes; call it before `start`. */
  subscribe(subscriber: ChangeSubscriber): void {
    this.subscribers.push(subscriber);
  }

  /** Creates a cache of values that are read from some collections; call it before `start`. */
  createCache<V extends object>(
    options: Pick<ChangeSubscriber, 'collections' | 'ignoredFields'> & {
      readonly max: number;
      readonly idsOf: (value: V) => readonly string[];
    },
  ): CoherentCache<V> {
    const { max, idsOf, ...changes } = options;
    const cache = new CoherentCache<V>(() => this.isCurrent(), max, idsOf);
    this.subscribe({ ...changes, onChange: (id) => cache.invalidate(id), onGap: () => cache.clear() });
    return cache;
  }

  /** Opens the change stream. Nothing is cached before its first response. */
  start(): void {
    if (this.shutdown.signal.aborted) return;
    this.client = this.database.createClient();
    this.loop = this.follow(this.client);
  }

  /** Returns whether every change older than 0.3 s is known. */
  isCurrent(): boolean {
    if (this.lastSent === undefined) return false;
    // The monotonic clock stops while a virtual machine is paused, and the wall clock may be set: both must agree.
    const elapsed = [performance.now() - this.lastSent.monotonic, Date.now() - this.lastSent.wall];
    return elapsed.every((milliseconds) => milliseconds >= 0 && milliseconds < maxAge);
  }

  async onApplicationShutdown(): Promise<void> {
    recordChanged.unsubscribe(this.onLocalChange);
    this.shutdown.abort();
    this.lastSent = undefined;
    await this.client?.close();
    await this.loop;
  }

  private readonly onLocalChange = (changed: unknown): void => {
    const { collection, id } = changed as ChangedRecord;
    for (const { collections, onChange, onGap } of this.subscribers) {
      if (!collections.includes(collection)) continue;
      if (id === undefined) onGap();
      else onChange(id);
    }
  };

  private async follow(client: mongo.MongoClient): Promise<void> {
    const { signal } = this.shutdown;
    for (;;) {
      const reason = await this.followOneStream(client).catch((error: unknown) => (error as Error).message);
      this.lastSent = undefined;
      this.reportGap();
      if (signal.aborted) return;
      this.setStatus(false, reason);
      await pause(retryDelay, signal);
    }
  }

  /** Reads one stream until it ends, and returns why it ended. */
  private async followOneStream(client: mongo.MongoClient): Promise<string> {
    const { setName } = (await client.db().command({ hello: 1 })) as { setName?: string };
    // The router of a sharded cluster responds to an idle stream before every shard has reported its changes.
    if (setName === undefined) return 'the database is not a replica set';
    const open = { aggregate: 1, pipeline: this.pipeline(), cursor: {}, readConcern: { level: 'majority' } };
    const cursor = client.db().runCursorCommand(open).setMaxTimeMS(maxAwaitTime);
    try {
      while (!this.shutdown.signal.aborted) {
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

  private readonly handle = ({ operationType, ns, documentKey, fields = [] }: ChangeEvent): void => {
    const collection = ns?.coll;
    if (documentKey === undefined || collection === undefined) {
      this.reportGap();
      return;
    }
    const updated = operationType === 'update' ? fields : [];
    for (const { collections, ignoredFields, onChange } of this.subscribers) {
      const isIgnored = updated.length > 0 && updated.every((field) => ignoredFields?.test(field));
      if (collections.includes(collection) && !isIgnored) onChange(String(documentKey._id));
    }
  };

  private reportGap(): void {
    for (const { onGap } of this.subscribers) onGap();
  }

  private setStatus(isFollowing: boolean, reason = 'unknown'): void {
    this.failure = isFollowing ? undefined : reason;
    if (this.isFollowing === isFollowing) return;
    this.isFollowing = isFollowing;
    if (isFollowing) this.logger.log('The change stream is connected; API keys, teams and seasons are cached');
    else this.logger.warn('There is no change stream; every request reads its API key from MongoDB', { reason });
  }

  /** Builds a pipeline that selects the subscribed changes, with the names of updated fields but not their values. */
  private pipeline(): mongo.Document[] {
    const subscribed = this.subscribers.flatMap(({ collections }) => collections);
    const updated = { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } };
    const truncated = { $ifNull: ['$updateDescription.truncatedArrays', []] };
    const names = [
      { $map: { input: updated, in: '$$this.k' } },
      { $ifNull: ['$updateDescription.removedFields', []] },
      { $map: { input: truncated, in: '$$this.field' } },
    ];
    return [
      { $changeStream: {} },
      { $match: { $or: [{ 'ns.coll': { $in: subscribed } }, isNoRecord] } },
      { $project: { operationType: 1, 'ns.coll': 1, 'documentKey._id': 1, fields: { $concatArrays: names } } },
    ];
  }
}
