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
/** Counted anew after so long, whatever the stamps say: somebody may have changed records by hand. */
const mostMilliseconds = 10 * 60_000;

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
  };
}

interface Total {
  readonly value: number;
  readonly moment: Date | undefined;
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
    const isYoung = now.getTime() - known.countedAt.getTime() < mostMilliseconds;
    const [changed, begun] = await Promise.all([
      counting.newestChange(),
      known.until !== undefined && isYoung ? begunSince(known.moment, upcoming) : 0,
    ]);
    const { until } = known;
    if (until === undefined || !isYoung || (changed !== undefined && changed > until)) {
      return this.count(counting, now, changed);
    }
    const value = known.value - begun;
    this.keep(list, { ...known, value, moment: upcoming?.moment });
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

/** How many fewer are upcoming than at the known moment; negative for an earlier one. */
async function begunSince(known: Date | undefined, upcoming: Counting['upcoming']): Promise<number> {
  if (known === undefined || upcoming === undefined) return 0;
  const { moment, begunBetween } = upcoming;
  if (known.getTime() === moment.getTime()) return 0;
  return known < moment ? begunBetween(known, moment) : -(await begunBetween(moment, known));
}
