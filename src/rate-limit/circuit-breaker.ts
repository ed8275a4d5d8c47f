/** So many failures in a row, and the store is left in peace. */
const failuresToOpen = 3;

/** For so many milliseconds; then one caller may try, and after each further failure again so long. */
const pauseMilliseconds = 1_000;

/** What a breaker tells, once an outage each. */
export interface OutageNotices {
  /** The first failure of an outage, and why. */
  began(reason: string): void;
  /** The store answers again, after so many milliseconds. */
  ended(outageMilliseconds: number): void;
}

/** Keeps callers from waiting, one after the other, for a store that does not answer. */
export class CircuitBreaker {
  private failuresInARow = 0;
  private lastFailureAt = 0;
  private probing = false;
  private brokenSince: number | undefined;

  /** `now`: milliseconds of a clock that never jumps. */
  constructor(
    private readonly notices: OutageNotices,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether to ask the store now. Who gets true must report back with `succeeded` or `failed`. */
  mayAsk(): boolean {
    if (this.failuresInARow < failuresToOpen) {
      return true;
    }
    if (this.probing || this.quietMilliseconds() < pauseMilliseconds) {
      return false;
    }
    this.probing = true;
    return true;
  }

  /** True from the first failure on until the outage is over. */
  get isBroken(): boolean {
    return this.brokenSince !== undefined;
  }

  succeeded(): void {
    this.probing = false;
    this.failuresInARow = 0;
    // An outage is over after a quiet second, else a store that fails every other time would fill the log.
    if (this.brokenSince !== undefined && this.quietMilliseconds() >= pauseMilliseconds) {
      const outageMilliseconds = Math.round(this.now() - this.brokenSince);
      this.brokenSince = undefined;
      this.notices.ended(outageMilliseconds);
    }
  }

  failed(reason: string): void {
    this.probing = false;
    this.failuresInARow += 1;
    this.lastFailureAt = this.now();
    if (this.brokenSince === undefined) {
      this.brokenSince = this.lastFailureAt;
      this.notices.began(reason);
    }
  }

  private quietMilliseconds(): number {
    return this.now() - this.lastFailureAt;
  }
}
