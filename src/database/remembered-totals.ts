import type { Clock } from '../common/clock.js';
import { keepNewest } from '../common/keep-newest.js';

/** From so many on, a look at the newest change costs less than counting. */
const worthRemembering = 1_000;
const rememberedLists = 10_000;
/**
 * A write is there so long after its time stamp at the latest, in milliseconds: a request is refused after 4.5 s and writes
 * nothing from then on, the driver gives a write up after some seconds, and replicas' clocks differ by a second at most.
 */
export const settlingMilliseconds = 30_000;
/**
 * Counted anew after so long, whatever the stamps say: records may have been changed by hand, clocks put right, and a server that
 * was suspended may write with a stamp of before.
 */
const mostMilliseconds = 60_000;

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
 * Totals of large lists, remembered for as long as nothing of their organization is written. Every write of a record stamps
 * it with its time, so the newest stamp tells, whichever replica wrote. While writes go on, and for a short while after,
 * totals are counted.
 */
export class RememberedTotals {
  private readonly totals = new Map<string, Total>();

  constructor(private readonly clock: Clock) {}

  /** How many match, exactly. */
  async total(counting: Counting): Promise<number> {
    const { list, upcoming } = counting;
    const known = this.totals.get(list);
    const now = this.clock.now();
    // A list that is not known to be large is counted at once.
    if (known === undefined) return this.count(counting, now, undefined);
    const age = now.getTime() - known.countedAt.getTime();
    const isYoung = age >= 0 && age < mostMilliseconds;
    const [changed, { begun, next }] = await Promise.all([
      counting.newestChange(),
      known.until !== undefined && isYoung ? begunSince(known, upcoming) : noneBegun,
    ]);
    const { until } = known;
    if (until === undefined || !isYoung || (changed !== undefined && changed > until)) {
      return this.count(counting, now, changed);
    }
    // What was counted beside the look may have been moved after it.
    if (begun !== 0) {
      const again = await counting.newestChange();
      if (again !== undefined && again > until) return this.count(counting, now, again);
    }
    const value = known.value - begun;
    // A walk that began earlier leaves what is known of a later moment.
    if (begun >= 0) this.keep(list, { ...known, value, moment: upcoming?.moment, next });
    return value;
  }

  /** @param changed the newest change as it was before counting */
  private async count(
    { list, upcoming, count }: Counting,
    countedAt: Date,
    changed: Date | undefined,
  ): Promise<number> {
    const settled = new Date(countedAt.getTime() - settlingMilliseconds);
    const value = await count();
    if (value < worthRemembering) this.totals.delete(list);
    else
      this.keep(list, {
        value,
        moment: upcoming?.moment,
        countedAt,
        ...(changed && changed < settled && { until: settled }),
      });
    return value;
  }

  private keep(list: string, total: Total): void {
    keepNewest(this.totals, list, total, rememberedLists);
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
