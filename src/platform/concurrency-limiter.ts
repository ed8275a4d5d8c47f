import type { RejectionReason } from '../common/metrics/metrics.js';

/** Maximum wait for a slot in milliseconds, well below the deadline of a request. */
const maxQueueWait = 3_000;

export interface ConcurrencyLimits {
  readonly running: number;
  readonly runningPerCaller: number;
  readonly queued: number;
  /** Maximum number of requests that gave up their slot to receive a body and have not got one back. */
  readonly receiving: number;
}

/**
 * Limits the number of concurrent requests. The others wait in a queue that serves callers round-robin. In the queue,
 * and while receiving bodies, a caller may hold at most as many entries as are still free, which leaves room for new
 * callers (dynamic thresholds, Choudhury and Hahne 1998).
 */
export class ConcurrencyLimiter {
  private readonly running = new CountByCaller();
  private readonly receiving = new CountByCaller();
  /** Queued requests by caller; the first caller is next. */
  private readonly queues = new Map<string, Slot[]>();
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

  /** Creates the slot of a new request, which is not acquired yet. */
  createSlot(caller: string): Slot {
    return new Slot(this, caller);
  }

  /** Starts, queues or rejects a request. One that comes back with its body is queued even if the queue is full. */
  admit(slot: Slot, hasBody: boolean): void {
    const { caller } = slot;
    const queue = this.queues.get(caller);
    const free = this.limits.queued - this.queuedTotal;
    if (!this.isDraining && queue === undefined && this.hasRoomFor(caller)) this.start(slot);
    else if (!hasBody && (queue?.length ?? 0) >= free) slot.end(free > 0 ? 'share' : 'full');
    else {
      if (queue === undefined) this.queues.set(caller, [slot]);
      else queue.push(slot);
      this.queuedTotal++;
      slot.wait(maxQueueWait);
    }
  }

  /** Counts a body that is being received; returns false if there are too many. */
  startReceiving(caller: string): boolean {
    if (this.receiving.of(caller) >= this.limits.receiving - this.receiving.total) return false;
    this.receiving.add(caller, 1);
    return true;
  }

  stopReceiving(caller: string): void {
    this.receiving.add(caller, -1);
  }

  stopRunning(caller: string): void {
    this.running.add(caller, -1);
    if (this.isDraining || this.queuedTotal === 0) return;
    this.isDraining = true;
    this.defer(() => {
      for (let next = this.nextInTurn(); next !== undefined; next = this.nextInTurn()) this.start(next);
      this.isDraining = false;
    });
  }

  /** Removes a request from the queue; its caller keeps its turn. */
  dequeue(slot: Slot): void {
    const queue = this.queues.get(slot.caller) ?? [];
    queue.splice(queue.indexOf(slot), 1);
    if (queue.length === 0) this.queues.delete(slot.caller);
    this.queuedTotal--;
  }

  private nextInTurn(): Slot | undefined {
    for (const [caller, queue] of this.queues) {
      const [slot] = queue;
      if (slot === undefined || !this.hasRoomFor(caller)) continue;
      this.dequeue(slot);
      // Moves the caller to the end of the round.
      if (this.queues.delete(caller)) this.queues.set(caller, queue);
      return slot;
    }
    return undefined;
  }

  private hasRoomFor(caller: string): boolean {
    return this.running.total < this.limits.running && this.running.of(caller) < this.limits.runningPerCaller;
  }

  private start(slot: Slot): void {
    this.running.add(slot.caller, 1);
    slot.start();
  }
}

/** The slot of one request. Everything it holds is released exactly once. */
export class Slot {
  waitedMilliseconds = 0;
  private state: 'idle' | 'queued' | 'running' | 'paused' | 'ended' = 'idle';
  private hasBody = false;
  private queuedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private settle: (rejection: RejectionReason | undefined) => void = () => undefined;

  constructor(
    private readonly limiter: ConcurrencyLimiter,
    readonly caller: string,
  ) {}

  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** Waits for the slot. Returns a reason if the request was rejected, or released while it waited. */
  acquire(): Promise<RejectionReason | undefined> {
    return new Promise((resolve) => {
      if (this.state === 'running') resolve(undefined);
      else if (this.state === 'ended') resolve('late');
      else {
        this.settle = resolve;
        this.limiter.admit(this, this.hasBody);
      }
    });
  }

  /** Frees the slot while a body is received, until `acquire`. Returns false if too many bodies are being received. */
  pause(): boolean {
    if (this.state !== 'running') return true;
    if (!this.limiter.startReceiving(this.caller)) return false;
    this.hasBody = true;
    this.state = 'paused';
    this.limiter.stopRunning(this.caller);
    return true;
  }

  /** Releases everything that the request holds; later calls do nothing. */
  release(): void {
    const { state } = this;
    if (state === 'queued') this.limiter.dequeue(this);
    this.end('late');
    if (state === 'running') this.limiter.stopRunning(this.caller);
  }

  /** Called by the limiter when the request is queued. */
  wait(milliseconds: number): void {
    this.state = 'queued';
    this.queuedAt = performance.now();
    this.timer = setTimeout(() => this.release(), milliseconds);
  }

  /** Called by the limiter when the request starts. */
  start(): void {
    this.leave('running');
    this.settle(undefined);
  }

  /** Called by the limiter when the request is rejected. */
  end(reason: RejectionReason): void {
    this.leave('ended');
    this.settle(reason);
  }

  private leave(next: 'running' | 'ended'): void {
    if (this.state === 'queued') this.waitedMilliseconds += performance.now() - this.queuedAt;
    clearTimeout(this.timer);
    if (this.hasBody) this.limiter.stopReceiving(this.caller);
    this.hasBody = false;
    this.state = next;
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
