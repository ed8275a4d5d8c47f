import { mayTakeOneMore } from './fair-share.js';
import { FairQueue } from './fair-queue.js';
import { Holdings } from './holdings.js';
import { patience } from './patience.js';
import { ServiceLimit } from './service-limit.js';

/** Why a request is not served: all waiting places are taken (`full`), its caller's part of them is (`share`), or it waited too long (`late`). */
export const refusalReasons = ['full', 'share', 'late'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** A request at the door. One of the two is called, once, unless it leaves before. Neither may throw. */
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
  /**
   * It takes its time by itself, as a body that is on its way, and holds no place in service meanwhile. Where its caller has
   * too many outside, it keeps its place: what is outside holds memory, and only places bound it then.
   */
  stepOut(): void;
  /**
   * It wants a place again: at once where it is next, else in its caller's turn. As it has come far, it is never refused for
   * want of waiting places. False where it waited too long, or left: it is gone then.
   */
  stepBack(): Promise<boolean>;
  /** It is answered, or gone. Later calls do nothing. */
  leave(): void;
}

/** What is allowed at most. */
export interface AdmissionBounds {
  /** In service at once while the event loop is busy. */
  readonly few: number;
  /** In service at once at any time. */
  readonly most: number;
  /** Waiting at the door. What comes back from outside waits beside them. */
  readonly waiting: number;
  readonly outside: number;
}

type Place = 'before' | 'waiting' | 'inService' | 'outside' | 'gone';

/**
 * Lets so many requests into service at once and no more; the others wait in a queue that is fair to callers, within
 * bounds. It knows nothing of HTTP. Whoever uses it calls `tick` about every 25 ms while something waits.
 */
export class AdmissionControl {
  private readonly queue = new FairQueue<Entry>();
  private readonly limit: ServiceLimit;
  private readonly held = new Holdings();
  private readonly outside = new Holdings();
  /** Since when the queue has not been empty. */
  private standsSince = 0;
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
    return this.held.total;
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
    return new Entry(this, caller, visitor);
  }

  /** Lets an entry in at once, lets it wait, or refuses it at once. */
  receive(entry: Entry): void {
    const free = this.bounds.waiting - this.queue.size;
    if (this.isNext(entry.caller)) this.admit(entry);
    else if (mayTakeOneMore(this.queue.sizeOf(entry.caller), free)) this.letWait(entry);
    else entry.refuse(free > 0 ? 'share' : 'full');
  }

  /** Lets an entry in that was in before, at once, or lets it wait. */
  receiveBack(entry: Entry): void {
    this.outside.remove(entry.caller);
    if (this.isNext(entry.caller)) this.admit(entry);
    else this.letWait(entry);
  }

  /** Gives the entry's place in service to others while it is outside, unless its caller has too many there. */
  letOut(entry: Entry): void {
    if (!mayTakeOneMore(this.outside.of(entry.caller), this.bounds.outside - this.outside.total)) return;
    this.give(entry);
    this.outside.add(entry.caller);
    entry.place = 'outside';
  }

  /**
   * Sends away who has waited too long, and lets as many in as the event loop can carry.
   * @param utilization the share of the time since the last tick in which the loop worked, 0 to 1
   */
  tick(utilization: number): void {
    const now = this.now();
    for (const entry of this.queue) {
      if (entry.waitsUntil > now) continue;
      this.queue.remove(entry.caller, entry);
      entry.refuse('late');
    }
    if (this.queue.size > 0) this.limit.heed(utilization);
    this.callNext();
  }

  /** Gives back what the entry holds: a place in the queue, in service or outside. */
  give(entry: Entry): void {
    if (entry.place === 'waiting') this.queue.remove(entry.caller, entry);
    if (entry.place === 'outside') this.outside.remove(entry.caller);
    if (entry.place !== 'inService') return;
    this.held.remove(entry.caller);
    if (this.queue.size === 0) this.limit.relax(this.held.total);
    this.callNext();
  }

  /** Once those were called who may be served, a caller that may be is not among the waiting. */
  private isNext(caller: string): boolean {
    return !this.isCalling && this.queue.sizeOf(caller) === 0 && this.mayBeServed(caller);
  }

  private admit(entry: Entry): void {
    this.held.add(entry.caller);
    entry.begin();
  }

  private letWait(entry: Entry): void {
    const now = this.now();
    const standing = this.queue.size > 0 ? now - this.standsSince : undefined;
    if (standing === undefined) this.standsSince = now;
    entry.place = 'waiting';
    entry.waitsUntil = now + patience(standing);
    this.queue.add(entry.caller, entry);
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
    if (this.held.total >= this.limit.value) return undefined;
    return this.queue.next((caller) => this.mayBeServed(caller));
  }

  private mayBeServed(caller: string): boolean {
    return mayTakeOneMore(this.held.of(caller), this.limit.value - this.held.total);
  }
}

/** One request's place; it gives back what it holds once, whatever happens. */
class Entry implements Visit {
  place: Place = 'before';
  /** Until when it may wait, by the monotonic clock. */
  waitsUntil = 0;
  /** Tells whoever steps back whether it is in. */
  private tellBack: ((isIn: boolean) => void) | undefined;

  constructor(
    private readonly control: AdmissionControl,
    readonly caller: string,
    private readonly visitor: Visitor,
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
    if (this.place === 'inService') this.control.letOut(this);
  }

  stepBack(): Promise<boolean> {
    if (this.place !== 'outside') return Promise.resolve(this.place === 'inService');
    return new Promise((resolve) => {
      this.tellBack = resolve;
      this.control.receiveBack(this);
    });
  }

  leave(): void {
    if (this.place === 'gone') return;
    this.control.give(this);
    this.place = 'gone';
    this.tellBack?.(false);
  }

  /** Its turn has come: at the door, or on its way back. */
  begin(): void {
    this.place = 'inService';
    if (this.tellBack === undefined) this.visitor.begin();
    else this.tellBack(true);
  }

  /** It has no place, and holds none. */
  refuse(reason: RefusalReason): void {
    this.place = 'gone';
    if (this.tellBack === undefined) this.visitor.refuse(reason);
    else this.tellBack(false);
  }
}
