import { Injectable, Logger } from '@nestjs/common';

/** How far this machine's clock may be off and is believed all the same, in milliseconds; NTP stays far below. */
const believedMilliseconds = 1_000;
/** One that was found wrong is believed again from here on, so that one on the edge does not go to and fro. */
const believedAgainMilliseconds = 500;
/** What the shared clock says moves the reckoning from so many milliseconds on: a slow network is not time. */
const jitterMilliseconds = 100;
/** How many of its sayings are kept; the database says the time about once a second. */
const keptSayings = 30;

/**
 * The one source of «now» for every rule that depends on it; tests put their own in its place. All replicas have to
 * agree on it, so they share a clock: the database's, which is heard with every heartbeat of the connection. The machine's own clock
 * is believed to the millisecond while it agrees with that one; one that is wrong, or is set while the server runs, is
 * put aside with the next look at it.
 */
@Injectable()
export class Clock {
  private readonly logger = new Logger('Clock');
  /** The shared clock less the monotonic one, as it was heard each time. */
  private readonly sayings: number[] = [];
  /** The shared clock less the monotonic one, as it is reckoned with; undefined as long as it was never heard. */
  private lead: number | undefined;
  /** True while this machine's clock is put aside. */
  private wrong = false;

  /** The present moment. */
  now(): Date {
    const own = Date.now();
    const shared = this.shared();
    if (shared === undefined) return new Date(own);
    this.judge(own - shared);
    return new Date(this.wrong ? Math.round(shared) : own);
  }

  /**
   * Takes in what the shared clock said. It may have been said a while ago, as by a slow network or to a process that
   * was held up, but never later than now: so the saying that is furthest ahead is the nearest to the truth.
   */
  hear(said: Date): void {
    this.sayings.push(said.getTime() - performance.now());
    if (this.sayings.length > keptSayings) this.sayings.shift();
    const lead = Math.max(...this.sayings);
    if (this.lead === undefined || Math.abs(lead - this.lead) >= jitterMilliseconds) this.lead = lead;
    const ahead = this.ahead();
    if (ahead !== undefined) this.judge(ahead);
  }

  /** How far this machine's clock is ahead of the shared one, in milliseconds; undefined where that one was never heard. */
  ahead(): number | undefined {
    const shared = this.shared();
    return shared === undefined ? undefined : Date.now() - shared;
  }

  /** By the monotonic clock, which nobody sets: so a jump of the machine's clock is seen at once. */
  private shared(): number | undefined {
    return this.lead === undefined ? undefined : performance.now() + this.lead;
  }

  private judge(ahead: number): void {
    const wrong = Math.abs(ahead) >= (this.wrong ? believedAgainMilliseconds : believedMilliseconds);
    if (wrong === this.wrong) return;
    this.wrong = wrong;
    const offset = { aheadSeconds: Math.round(ahead) / 1_000 };
    if (wrong) this.logger.warn("This machine's clock and the database's differ: the database's is used", offset);
    else this.logger.log("This machine's clock and the database's agree again", offset);
  }
}
