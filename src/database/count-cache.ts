import type { Clock } from '../common/clock.js';
import { type ChangeStreamService, lateMilliseconds } from './change-stream.service.js';
import { CoherentCache } from './coherent-cache.js';

/** Counting fewer records costs less than reading the newest change. */
const minimumCached = 1_000;
const maximumLists = 10_000;
/**
 * Every write is visible this many milliseconds after its time stamp, except the late ones that the change stream reports. The
 * two seconds are for the clocks of this process and of the database, which NTP keeps within one.
 */
export const settlingMilliseconds = lateMilliseconds + 2_000;
/** A total is counted again after this time in any case: somebody may have changed a record by hand without a new stamp. */
const maximumAge = 60_000;

/** How a list is counted. */
export interface Counting {
  /** Names the organization and the filters, but for the moment. */
  readonly list: string;
  /** When a record of the organization was changed last, whatever list it is in; undefined where there is none. */
  readonly newestChange: () => Promise<Date | undefined>;
  /** How many match. */
  readonly count: () => Promise<number>;
  /** Where only what lies behind a moment matches. */
  readonly upcoming?: {
    readonly moment: Date;
    /** How many would match but for the moment, and begin after the first and no later than the second. */
    readonly begunBetween: (after: Date, until: Date) => Promise<number>;
    /** When the next of them begins after a moment; undefined where there is none. */
    readonly nextBegin: (after: Date) => Promise<Date | undefined>;
  };
}

interface Total {
  readonly value: number;
  readonly moment: Date | undefined;
  /** From the moment until this one none begins, in milliseconds; undefined where that is not known. */
  readonly next?: number | undefined;
  /** All that was written with a stamp up to here is counted; undefined where something may still be under way. */
  readonly until?: Date;
  readonly countedAt: Date;
}

/**
 * Caches the totals of large lists until a record of their organization is written. Every write stamps its record with the time,
 * so the newest stamp shows a write of any replica. It does not show a write that becomes visible long after its stamp: those are
 * reported by the change stream, and while that is not current, every total is counted. Totals are also counted while an
 * organization writes, and for `settlingMilliseconds` after.
 */
export class CountCache {
  private readonly totals: CoherentCache<Total>;

  /** @param collection the collection whose late writes clear the cache */
  constructor(
    changes: ChangeStreamService,
    collection: string,
    private readonly clock: Clock,
  ) {
    this.totals = new CoherentCache(
      () => changes.isCurrent(),
      maximumLists,
      () => [],
    );
    const clear = () => this.totals.clear();
    changes.subscribe({ collections: [collection], lateOnly: true, onChange: clear, onGap: clear });
  }

  /** Returns whether the list was found to be large. */
  isCached(list: string): boolean {
    return this.totals.get(list) !== undefined;
  }

  /** Returns how many records match. */
  async total(counting: Counting): Promise<number> {
    const { list, upcoming } = counting;
    const known = this.totals.get(list);
    const now = this.clock.now();
    // A list that is not known to be large is counted at once.
    if (known === undefined) return this.count(counting, now, undefined);
    const age = now.getTime() - known.countedAt.getTime();
    const isYoung = age >= 0 && age < maximumAge;
    const read = this.totals.startRead();
    const [changed, { begun, next }] = await Promise.all([
      counting.newestChange(),
      known.until !== undefined && isYoung ? begunSince(known, upcoming) : noneBegun,
    ]);
    const { until } = known;
    if (until === undefined || !isYoung || (changed !== undefined && changed > until)) {
      return this.count(counting, now, changed);
    }
    // What was counted beside the look may have been moved after it.
    const again = begun === 0 ? undefined : await counting.newestChange();
    if (!read.isValid() || (again !== undefined && again > until)) return this.count(counting, now, again ?? changed);
    const value = known.value - begun;
    // A walk that began earlier leaves what is known of a later moment.
    if (begun >= 0) read.store(list, { ...known, value, moment: upcoming?.moment, next });
    return value;
  }

  /** @param changed the newest change as it was before counting */
  private async count(
    { list, upcoming, count }: Counting,
    countedAt: Date,
    changed: Date | undefined,
  ): Promise<number> {
    const settled = new Date(countedAt.getTime() - settlingMilliseconds);
    const read = this.totals.startRead();
    const value = await count();
    if (value < minimumCached) this.totals.delete(list);
    else {
      const until = changed && changed < settled && { until: settled };
      read.store(list, { value, moment: upcoming?.moment, countedAt, ...until });
    }
    return value;
  }
}

interface Begun {
  readonly begun: number;
  readonly next?: number | undefined;
}

const noneBegun: Begun = { begun: 0 };

/** How many fewer are upcoming than at the known moment (negative for an earlier one), and when the next one begins. */
async function begunSince({ moment: known, next }: Total, upcoming: Counting['upcoming']): Promise<Begun> {
  if (known === undefined || upcoming === undefined) return noneBegun;
  const { moment, begunBetween, nextBegin } = upcoming;
  const isEarlier = moment < known;
  if (!isEarlier && (moment.getTime() === known.getTime() || (next !== undefined && moment.getTime() < next))) {
    return { begun: 0, next };
  }
  const [between, following] = await Promise.all([
    isEarlier ? begunBetween(moment, known) : begunBetween(known, moment),
    nextBegin(moment),
  ]);
  return { begun: isEarlier ? -between : between, next: following?.getTime() ?? Infinity };
}
