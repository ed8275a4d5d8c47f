import type { RejectionReason } from '../observability/metrics.js';

export interface ConcurrencyLimits {
  readonly running: number;
  readonly runningPerCaller: number;
  /** Maximum number of requests that are queued, or gave up their slot to receive a body. */
  readonly waiting: number;
  /** Maximum wait of a request, in milliseconds. */
  readonly maxWait: number;
}

/**
 * Limits the number of concurrent requests. The others wait in a queue that serves callers round-robin. A caller may hold
 * at most as many slots and places to wait as are still free, which leaves room for new callers (dynamic thresholds,
 * Choudhury and Hahne 1998).
 */
export class ConcurrencyLimiter {
  private readonly running = new CountByCaller();
  private readonly waiting = new CountByCaller();
  /** Queued requests by caller; the first caller is next. */
  private readonly queues = new Map<string, Set<Slot>>();
  private isDraining = false;

  /** @param defer runs a callback after the call that frees a slot */
  constructor(
    private readonly limits: ConcurrencyLimits,
    private readonly defer: (callback: () => void) => void = setImmediate,
  ) {}

  get runningCount(): number {
    return this.running.total;
  }

  get waitingCount(): number {
    return this.waiting.total;
  }

  /** Starts, queues or rejects a request. */
  acquire(slot: Slot): void {
    const queue = this.queues.get(slot.caller) ?? new Set();
    // One that comes back with its body has kept its place, and may wait once more.
    const waited = slot.isWaiting ? 0 : slot.waitedBefore;
    if (!this.isDraining && queue.size === 0 && this.hasRoomFor(slot.caller)) {
      this.start(slot);
    } else if (this.takePlace(slot)) {
      this.queues.set(slot.caller, queue.add(slot));
      slot.timer = setTimeout(() => this.leave(slot), Math.max(0, this.limits.maxWait - waited));
    } else {
      slot.settle(this.waiting.total < this.limits.waiting ? 'caller_limit' : 'queue_full');
    }
  }

  /** Takes a place to wait, if the request has none. Returns false if its caller has as many as are free. */
  takePlace(slot: Slot): boolean {
    if (slot.isWaiting) return true;
    if (this.waiting.of(slot.caller) >= this.limits.waiting - this.waiting.total) return false;
    this.waiting.add(slot.caller, 1);
    slot.isWaiting = true;
    return true;
  }

  /** Gives up the place of a request, and rejects it if it is queued. */
  leave(slot: Slot): void {
    if (this.endWait(slot)) slot.settle('queue_timeout');
  }

  /** Frees the slot of a caller, and starts queued requests. */
  stop(caller: string): void {
    this.running.add(caller, -1);
    if (this.isDraining || this.queues.size === 0) return;
    this.isDraining = true;
    this.defer(() => {
      for (let slot = this.nextInTurn(); slot !== undefined; slot = this.nextInTurn()) this.start(slot);
      this.isDraining = false;
    });
  }

  private start(slot: Slot): void {
    this.endWait(slot);
    this.running.add(slot.caller, 1);
    slot.settle();
  }

  /** Returns whether the request was queued. Its caller keeps its turn. */
  private endWait(slot: Slot): boolean {
    if (slot.isWaiting) this.waiting.add(slot.caller, -1);
    slot.isWaiting = false;
    clearTimeout(slot.timer);
    const queue = this.queues.get(slot.caller);
    const wasQueued = queue?.delete(slot) === true;
    if (queue?.size === 0) this.queues.delete(slot.caller);
    return wasQueued;
  }

  /** Returns the next request, and moves its caller to the end of the round. */
  private nextInTurn(): Slot | undefined {
    for (const [caller, queue] of this.queues) {
      if (!this.hasRoomFor(caller)) continue;
      this.queues.delete(caller);
      this.queues.set(caller, queue);
      const [slot] = queue;
      return slot;
    }
    return undefined;
  }

  private hasRoomFor(caller: string): boolean {
    const free = this.limits.running - this.running.total;
    return this.running.of(caller) < Math.min(this.limits.runningPerCaller, free);
  }
}

/** What one request holds of a limiter: a slot, or a place to wait for one or for the body that it receives. */
export class Slot {
  waitedMilliseconds = 0;
  isRunning = false;
  isWaiting = false;
  timer: NodeJS.Timeout | undefined;
  /** Called by the limiter: without a reason when the request starts, else with that of its rejection. */
  settle: (rejection?: RejectionReason) => void = () => undefined;
  private isReleased = false;

  /** @param waitedBefore how long the request has waited in another queue, in milliseconds: both waits together are limited */
  constructor(
    private readonly limiter: ConcurrencyLimiter,
    readonly caller: string,
    readonly waitedBefore = 0,
  ) {}

  /** Waits for the slot. Returns a reason if the request was rejected, or released while it waited. */
  acquire(): Promise<RejectionReason | undefined> {
    if (this.isRunning || this.isReleased) return Promise.resolve(this.isRunning ? undefined : 'queue_timeout');
    const askedAt = performance.now();
    return new Promise((resolve) => {
      this.settle = (rejection) => {
        this.waitedMilliseconds += performance.now() - askedAt;
        this.isRunning = rejection === undefined;
        resolve(rejection);
      };
      this.limiter.acquire(this);
    });
  }

  /** Frees the slot while a body is received, until `acquire`. Returns false if too many requests wait. */
  pause(): boolean {
    if (!this.isRunning) return true;
    if (!this.limiter.takePlace(this)) return false;
    this.stop();
    return true;
  }

  /** Releases everything that the request holds; later calls do nothing. */
  release(): void {
    this.isReleased = true;
    this.limiter.leave(this);
    if (this.isRunning) this.stop();
  }

  private stop(): void {
    this.isRunning = false;
    this.limiter.stop(this.caller);
  }
}

/** Counts by caller and in all. */
export class CountByCaller {
  total = 0;
  private readonly counts = new Map<string, number>();

  of(caller: string): number {
    return this.counts.get(caller) ?? 0;
  }

  add(caller: string, difference: 1 | -1): void {
    this.total += difference;
    const count = this.of(caller) + difference;
    if (count > 0) this.counts.set(caller, count);
    else this.counts.delete(caller);
  }
}
