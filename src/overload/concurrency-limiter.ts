import type { RejectionReason } from '../observability/metrics.js';

/** Maximum wait for a slot in milliseconds, well below the deadline of a request. */
const maxQueueWait = 3_000;

export interface ConcurrencyLimits {
  readonly running: number;
  readonly runningPerCaller: number;
  readonly queued: number;
  /** Maximum number of requests that gave up their slot to receive a body and have not got one back. */
  readonly receiving: number;
}

/** Gives up what a request holds. Later calls do nothing. */
type Release = () => void;

/**
 * Limits the number of concurrent requests. The others wait in a queue that serves callers round-robin. In the queue,
 * and while receiving bodies, a caller may hold at most as many entries as are still free, which leaves room for new
 * callers (dynamic thresholds, Choudhury and Hahne 1998).
 */
export class ConcurrencyLimiter {
  private readonly running = new CountByCaller();
  private readonly receiving = new CountByCaller();
  /** The functions that start queued requests, by caller; the first caller is next. */
  private readonly queues = new Map<string, Set<() => void>>();
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

  /**
   * Starts, queues or rejects a request.
   * @param settle called once: without a reason when the request starts, else with that of its rejection
   * @param hasBody queues a request that comes back with its body even if the queue is full
   * @returns gives up the slot or the place in the queue
   */
  acquire(caller: string, settle: (rejection?: RejectionReason) => void, hasBody = false): Release {
    let release: Release = () => undefined;
    const start = () => {
      this.running.add(caller, 1);
      release = () => this.stop(caller);
      settle();
    };
    const queued = this.queues.get(caller)?.size ?? 0;
    const free = this.limits.queued - this.queuedTotal;
    if (!this.isDraining && queued === 0 && this.hasRoomFor(caller)) start();
    else if (!hasBody && queued >= free) settle(free > 0 ? 'share' : 'full');
    else release = this.enqueue(caller, start, () => settle('late'));
    return () => {
      const releaseOnce = release;
      release = () => undefined;
      releaseOnce();
    };
  }

  /** Counts a body that is being received, until the returned function is called; undefined if there are too many. */
  startReceiving(caller: string): Release | undefined {
    if (this.receiving.of(caller) >= this.limits.receiving - this.receiving.total) return undefined;
    this.receiving.add(caller, 1);
    return () => this.receiving.add(caller, -1);
  }

  /** Queues a request for at most 3 s. Its caller keeps its turn when it leaves the queue. */
  private enqueue(caller: string, start: () => void, reject: () => void): Release {
    const queue = this.queues.get(caller) ?? new Set();
    const leave = (): boolean => {
      clearTimeout(timer);
      if (!queue.delete(startNext)) return false;
      if (queue.size === 0) this.queues.delete(caller);
      this.queuedTotal--;
      return true;
    };
    const startNext = () => {
      leave();
      start();
    };
    const giveUp = () => {
      if (leave()) reject();
    };
    const timer = setTimeout(giveUp, maxQueueWait);
    this.queues.set(caller, queue.add(startNext));
    this.queuedTotal++;
    return giveUp;
  }

  private stop(caller: string): void {
    this.running.add(caller, -1);
    if (this.isDraining || this.queuedTotal === 0) return;
    this.isDraining = true;
    this.defer(() => {
      for (let startNext = this.nextInTurn(); startNext !== undefined; startNext = this.nextInTurn()) startNext();
      this.isDraining = false;
    });
  }

  /** Returns the function that starts the next request, and moves its caller to the end of the round. */
  private nextInTurn(): (() => void) | undefined {
    for (const [caller, queue] of this.queues) {
      if (!this.hasRoomFor(caller)) continue;
      this.queues.delete(caller);
      this.queues.set(caller, queue);
      const [startNext] = queue;
      return startNext;
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
  private isReleased = false;
  private giveUp: Release = () => undefined;
  private endReceiving: Release | undefined;

  constructor(
    private readonly limiter: ConcurrencyLimiter,
    readonly caller: string,
  ) {}

  /** Waits for the slot. Returns a reason if the request was rejected, or released while it waited. */
  acquire(): Promise<RejectionReason | undefined> {
    return new Promise((resolve) => {
      if (this.isRunning || this.isReleased) {
        resolve(this.isRunning ? undefined : 'late');
        return;
      }
      const askedAt = performance.now();
      const settle = (rejection?: RejectionReason) => {
        this.waitedMilliseconds += performance.now() - askedAt;
        this.isRunning = rejection === undefined;
        this.stopReceiving();
        resolve(rejection);
      };
      this.giveUp = this.limiter.acquire(this.caller, settle, this.endReceiving !== undefined);
    });
  }

  /** Frees the slot while a body is received, until `acquire`. Returns false if too many bodies are being received. */
  pause(): boolean {
    if (!this.isRunning) return true;
    this.endReceiving = this.limiter.startReceiving(this.caller);
    if (this.endReceiving === undefined) return false;
    this.isRunning = false;
    this.giveUp();
    return true;
  }

  /** Releases everything that the request holds; later calls do nothing. */
  release(): void {
    this.isReleased = true;
    this.isRunning = false;
    this.stopReceiving();
    this.giveUp();
  }

  private stopReceiving(): void {
    this.endReceiving?.();
    this.endReceiving = undefined;
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
