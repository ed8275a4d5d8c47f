import type { Clock } from '../config/clock.js';
import { type ChangeStreamService, lateWriteMilliseconds } from './change-stream.service.js';
import { CoherentCache } from './coherent-cache.js';

/** Below this total, counting is cheaper than checking for updates. */
const minTotal = 1_000;
const maxLists = 10_000;
/**
 * Every write is visible this many milliseconds after its time stamp, except late writes, which the change stream
 * reports. Two of the seconds are tolerance for the clocks of this process and of the database, which NTP keeps within
 * one second.
 */
export const visibilityDelayMilliseconds = lateWriteMilliseconds + 2_000;
/** Totals expire after this time, because an operator may have changed a record by hand without a new time stamp. */
const maxAge = 60_000;

/** The queries that count a list. */
export interface CountQuery {
  /** Identifies the organization and the filters, without the time that `upcoming` compares with. */
  readonly list: string;
  /** Returns when any record of the organization was last updated; undefined if it has no records. */
  readonly findLastUpdate: () => Promise<Date | undefined>;
  readonly count: () => Promise<number>;
  /** Set if only records that start after `now` match. */
  readonly upcoming?: {
    readonly now: Date;
    /** Counts the records that match the other filters and start after the first time, up to the second. */
    readonly countStartedBetween: (after: Date, until: Date) => Promise<number>;
    /** Returns the earliest start of the records that match. */
    readonly findNextStart: () => Promise<Date | undefined>;
  };
}

interface Total {
  readonly value: number;
  /** The time that an `upcoming` list was compared with. */
  readonly now: Date | undefined;
  /** The next start after `now`: before it, no query is needed to know that nothing has started. */
  readonly nextStart: Date | undefined;
  /** Every write with a time stamp up to this one is counted; undefined if a write may not be visible yet. */
  readonly until?: Date;
  readonly countedAt: Date;
}

/**
 * Caches the totals of large lists until a record of their organization is written. Every write sets `updatedAt`, so
 * the last update shows a write of any server. It does not show a write that becomes visible long after its time
 * stamp: the change stream reports those, and while it is not current, nothing is cached. Nor is anything cached while
 * an organization writes, or for `visibilityDelayMilliseconds` afterwards.
 */
export class CountCache {
  private readonly totals: CoherentCache<Total>;

  /** @param collection the collection whose late writes clear the cache */
  constructor(
    changeStream: ChangeStreamService,
    collection: string,
    private readonly clock: Clock,
  ) {
    this.totals = new CoherentCache(
      () => changeStream.isCurrent(),
      maxLists,
      () => [],
    );
    const clear = () => this.totals.clear();
    changeStream.subscribe({ collections: [collection], lateOnly: true, onChange: clear, onGap: clear });
  }

  async total(query: CountQuery): Promise<number> {
    const { list, upcoming } = query;
    const known = this.totals.get(list);
    const now = this.clock.now();
    // Nothing is cached, as for every small list.
    if (known === undefined) return this.count(query, now, undefined);
    const age = now.getTime() - known.countedAt.getTime();
    const isFresh = age >= 0 && age < maxAge;
    const read = this.totals.startRead();
    const [updatedAt, started] = await Promise.all([
      query.findLastUpdate(),
      known.until !== undefined && isFresh ? countStarted(known, upcoming) : 0,
    ]);
    const { until } = known;
    if (until === undefined || !isFresh || (updatedAt !== undefined && updatedAt > until)) {
      return this.count(query, now, updatedAt);
    }
    // A record may have been updated between the first query and the count of started records.
    const again = started === 0 ? undefined : await query.findLastUpdate();
    if (!read.isValid() || (again !== undefined && again > until)) return this.count(query, now, again ?? updatedAt);
    const value = known.value - started;
    // A client that pages through an older list does not replace the total of a newer one.
    if (started >= 0) read.store(list, { ...known, value, now: upcoming?.now });
    return value;
  }

  /** @param updatedAt the last update before counting */
  private async count({ list, upcoming, count }: CountQuery, countedAt: Date, updatedAt: Date | undefined) {
    const visibleUntil = new Date(countedAt.getTime() - visibilityDelayMilliseconds);
    const read = this.totals.startRead();
    const value = await count();
    if (value < minTotal) this.totals.delete(list);
    else {
      const until = updatedAt && updatedAt < visibleUntil && { until: visibleUntil };
      const nextStart = await upcoming?.findNextStart();
      read.store(list, { value, now: upcoming?.now, nextStart, countedAt, ...until });
    }
    return value;
  }
}

/** Counts the records that started since the total was counted; negative for an earlier time. */
async function countStarted({ now: known, nextStart }: Total, upcoming: CountQuery['upcoming']): Promise<number> {
  if (known === undefined || upcoming === undefined) return 0;
  const { now, countStartedBetween } = upcoming;
  if (now >= known && nextStart !== undefined && now < nextStart) return 0;
  return now > known ? countStartedBetween(known, now) : -(await countStartedBetween(now, known));
}
