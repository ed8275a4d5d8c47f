import { mayTakeOneMore } from './fair-share.js';
import { FairQueue } from './fair-queue.js';
import { ServiceLimit } from './service-limit.js';

/** Why a request is not served: all waiting places are taken (`full`), its caller's part of them is (`share`), or it waited too long (`late`). */
export const refusalReasons = ['full', 'share', 'late'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** A request at the door. One of the two is called, once, unless it leaves before. */
export interface Visitor {
  /** Its turn has come. */
  begin(): void;
  refuse(reason: RefusalReason): void;
}

/** The way of one request through the server, as far as it concerns others. */
export interface Visit {
  /** It is at the door: it begins at once, waits, or is refused at once. */
  enter(): void;
  readonly isWaiting: boolean;
  /** Whoever sent it does not want it any more: it waits no longer. What has begun goes on. */
  stopWaiting(): void;
  /** It takes its time by itself, as a body that is on its way, and counts for nothing meanwhile. */
  stepOut(): void;
  stepBack(): void;
  /** It is answered, or gone. Later calls do nothing. */
  leave(): void;
}

/** What is allowed at most. */
export interface AdmissionBounds {
  /** In service at once while the event loop is busy. */
  readonly few: number;
  /** In service at once at any time. */
  readonly most: number;
  readonly waiting: number;
  /** Milliseconds that one may wait. */
  readonly longestWait: number;
}

type Place = 'before' | 'waiting' | 'inService' | 'outside' | 'gone';

/**
 * Lets so many requests into service at once and no more; the others wait in a queue that is fair to callers, within
 * bounds. It knows nothing of HTTP. Whoever uses it calls `tick` about every 25 ms while something waits.
 */
export class AdmissionControl {
  private readonly queue = new FairQueue<Entry>();
  /** All that wait, in the order in which they came. */
  private readonly arrivals = new Set<Entry>();
  private readonly limit: ServiceLimit;
  private readonly held = new Map<string, number>();
  private serving = 0;
  private isCalling = false;

  /**
   * @param defer runs work soon, not at once: whoever is let in would else run within the call that ends another's
   * @param now the monotonic clock, in milliseconds
   */
  constructor(
    private readonly bounds: AdmissionBounds,
    private readonly defer: (work: () => void) => void = setImmediate,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.limit = new ServiceLimit(bounds.few, bounds.most);
  }

  get inService(): number {
    return this.serving;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** How many may be in service at once at this moment. */
  get inServiceLimit(): number {
    return this.limit.value;
  }

  /** A request that has come, and not entered yet. */
  visit(caller: string, visitor: Visitor): Visit {
    return new Entry(this, caller, visitor, this.now());
  }

  /** Lets an entry in at once, lets it wait, or refuses it at once. */
  receive(entry: Entry): void {
    const { caller } = entry;
    // Once those were called who may be served, a caller that may be is not among the waiting.
    const isNext = !this.isCalling && this.queue.sizeOf(caller) === 0 && this.mayBeServed(caller);
    if (isNext) this.admit(entry);
    else this.letWait(entry);
  }

  /**
   * Sends away who has waited too long, and lets as many in as the event loop can carry.
   * @param utilization the share of the time since the last tick in which the loop worked, 0 to 1
   */
  tick(utilization: number): void {
    const oldest = this.now() - this.bounds.longestWait;
    for (const entry of this.arrivals) {
      if (entry.since > oldest) break;
      this.withdraw(entry);
      this.refuse(entry, 'late');
    }
    if (this.queue.size > 0) this.limit.heed(utilization);
    this.callNext();
  }

  /** Gives back what the entry holds: a place in the queue or in service. */
  give(entry: Entry): void {
    if (entry.place === 'waiting') this.withdraw(entry);
    if (entry.place !== 'inService') return;
    this.serving--;
    const held = (this.held.get(entry.caller) ?? 0) - 1;
    if (held > 0) this.held.set(entry.caller, held);
    else this.held.delete(entry.caller);
    if (this.queue.size === 0) this.limit.relax(this.serving);
    this.callNext();
  }

  /** Counts an entry as in service, whether there is room or not. */
  take(entry: Entry): void {
    entry.place = 'inService';
    this.serving++;
    this.held.set(entry.caller, (this.held.get(entry.caller) ?? 0) + 1);
  }

  private admit(entry: Entry): void {
    this.take(entry);
    entry.visitor.begin();
  }

  private letWait(entry: Entry): void {
    const free = this.bounds.waiting - this.queue.size;
    if (mayTakeOneMore(this.queue.sizeOf(entry.caller), free)) {
      entry.place = 'waiting';
      this.queue.add(entry.caller, entry);
      this.arrivals.add(entry);
    } else {
      this.refuse(entry, free > 0 ? 'share' : 'full');
    }
  }

  private refuse(entry: Entry, reason: RefusalReason): void {
    entry.place = 'gone';
    entry.visitor.refuse(reason);
  }

  private withdraw(entry: Entry): void {
    this.queue.remove(entry.caller, entry);
    this.arrivals.delete(entry);
  }

  private callNext(): void {
    if (this.isCalling || this.queue.size === 0) return;
    this.isCalling = true;
    this.defer(() => {
      try {
        for (let next = this.nextInTurn(); next !== undefined; next = this.nextInTurn()) this.admit(next);
      } finally {
        this.isCalling = false;
      }
    });
  }

  private nextInTurn(): Entry | undefined {
    if (this.serving >= this.limit.value) return undefined;
    const next = this.queue.next((caller) => this.mayBeServed(caller));
    if (next !== undefined) this.arrivals.delete(next);
    return next;
  }

  private mayBeServed(caller: string): boolean {
    return mayTakeOneMore(this.held.get(caller) ?? 0, this.limit.value - this.serving);
  }
}

/** One request's place; it gives back what it holds once, whatever happens. */
class Entry implements Visit {
  place: Place = 'before';

  constructor(
    private readonly control: AdmissionControl,
    readonly caller: string,
    readonly visitor: Visitor,
    readonly since: number,
  ) {}

  get isWaiting(): boolean {
    return this.place === 'waiting';
  }

  enter(): void {
    if (this.place === 'before') this.control.receive(this);
  }

  stopWaiting(): void {
    if (this.place === 'waiting') this.leave();
  }

  stepOut(): void {
    if (this.place !== 'inService') return;
    this.control.give(this);
    this.place = 'outside';
  }

  stepBack(): void {
    if (this.place === 'outside') this.control.take(this);
  }

  leave(): void {
    if (this.place === 'gone') return;
    this.control.give(this);
    this.place = 'gone';
  }
}
