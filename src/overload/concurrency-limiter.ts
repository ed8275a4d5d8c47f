import { queueWait } from '../config/time-windows.js';
import type { RejectionReason } from '../observability/metrics.js';

export interface ConcurrencyLimits {
  readonly running: number;
  readonly runningPerCaller: number;
  readonly queued: number;
  /** Maximum number of requests that gave up their slot to receive a body and have not got one back. */
  readonly receiving: number;
}

/**
 * Limits the number of concurrent requests. The others wait in a queue that serves callers round-robin. A caller may hold
 * at most as many slots, places in the queue and unfinished bodies as are still free, which leaves room for new callers
 * (dynamic thresholds, Choudhury and Hahne 1998).
 */
export class ConcurrencyLimiter {
  private readonly running = new CountByCaller();
  private readonly receiving = new CountByCaller();
  /** Queued requests by caller; the first caller is next. */
  private readonly queues = new Map<string, Set<Slot>>();
  private queuedTotal = 0;
  private isDraining = false;

  /** @param defer runs a callback after the call that frees a slot */
  constructor(
    private readonly limits: ConcurrencyLimits,
    private readonly defer: (callback: () => void) => void = setImmediate,
  ) {}

  get runningCount(): number {
    return this.running.total;
  }

  get queuedCount(): number {
    return this.queuedTotal;
  }

  /** Starts, queues or rejects a request. One that comes back with its body is queued even if the queue is full. */
  acquire(slot: Slot): void {
    const queue = this.queues.get(slot.caller) ?? new Set();
    const free = this.limits.queued - this.queuedTotal;
    if (!this.isDraining && queue.size === 0 && this.hasRoomFor(slot.caller)) {
      this.start(slot);
    } else if (!slot.isReceiving && queue.size >= free) {
      slot.settle(free > 0 ? 'caller_limit' : 'queue_full');
    } else {
      this.queues.set(slot.caller, queue.add(slot));
      this.queuedTotal++;
      const waited = slot.isReceiving ? 0 : slot.waitedBefore;
      slot.timer = setTimeout(() => this.leave(slot), Math.max(0, queueWait - waited));
    }
  }

  leave(slot: Slot): void {
    if (this.dequeue(slot)) slot.settle('queue_timeout');
  }

  /** Frees the slot of a caller, and starts queued requests. */
  stop(caller: string): void {
    this.running.add(caller, -1);
    if (this.isDraining || this.queuedTotal === 0) return;
    this.isDraining = true;
    this.defer(() => {
      for (let slot = this.nextInTurn(); slot !== undefined; slot = this.nextInTurn()) {
        this.dequeue(slot);
        this.start(slot);
      }
      this.isDraining = false;
    });
  }

  /** Counts a body that is being received. Returns false if there are too many. */
  startReceiving(caller: string): boolean {
    if (this.receiving.of(caller) >= this.limits.receiving - this.receiving.total) return false;
    this.receiving.add(caller, 1);
    return true;
  }

  stopReceiving(caller: string): void {
    this.receiving.add(caller, -1);
  }

  private start(slot: Slot): void {
    this.running.add(slot.caller, 1);
    slot.settle();
  }

  /** Removes a request from the queue, whose caller keeps its turn. Returns false if it was not queued. */
  private dequeue(slot: Slot): boolean {
    const queue = this.queues.get(slot.caller);
    if (queue?.delete(slot) !== true) return false;
    if (queue.size === 0) this.queues.delete(slot.caller);
    this.queuedTotal--;
    clearTimeout(slot.timer);
    return true;
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

/** What one request holds of a limiter: a slot, a place in the queue, or an entry for the body that it receives. */
export class Slot {
  waitedMilliseconds = 0;
  isRunning = false;
  /** Set until the slot is back: a request with its body may wait for it. */
  isReceiving = false;
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
        this.stopReceiving();
        resolve(rejection);
      };
      this.limiter.acquire(this);
    });
  }

  /** Frees the slot while a body is received, until `acquire`. Returns false if too many bodies are being received. */
  pause(): boolean {
    if (!this.isRunning) return true;
    this.isReceiving = this.limiter.startReceiving(this.caller);
    if (this.isReceiving) this.stop();
    return this.isReceiving;
  }

  /** Releases everything that the request holds; later calls do nothing. */
  release(): void {
    this.isReleased = true;
    this.stopReceiving();
    this.limiter.leave(this);
    if (this.isRunning) this.stop();
  }

  private stop(): void {
    this.isRunning = false;
    this.limiter.stop(this.caller);
  }

  private stopReceiving(): void {
    if (this.isReceiving) this.limiter.stopReceiving(this.caller);
    this.isReceiving = false;
  }
}

class CountByCaller {
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
