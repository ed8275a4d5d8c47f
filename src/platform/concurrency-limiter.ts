import type { RejectionReason } from '../common/metrics/metrics.js';

/** How long a request waits for a place at most, in milliseconds: well below the deadline of a request. */
const maxQueueWait = 3_000;

export interface ConcurrencyLimits {
  /** Requests that run at once. */
  readonly running: number;
  readonly runningPerCaller: number;
  /** Requests that wait for a place. */
  readonly queued: number;
  /** Requests outside of the places while their body is received, and until they get a place again. */
  readonly receiving: number;
}

/**
 * Limits how many requests run at once; the others wait in a queue that serves callers in turn. Of the places to wait and
 * to receive a body, a caller gets no more than are still free, so that there is room for newcomers (dynamic thresholds,
 * Choudhury and Hahne 1998).
 */
export class ConcurrencyLimiter {
  private readonly running = new CountByCaller();
  private readonly receiving = new CountByCaller();
  /** Waiting requests by caller; the first caller is next. */
  private readonly queues = new Map<string, Place[]>();
  private queuedTotal = 0;
  private isDraining = false;

  /** @param defer runs a callback soon, and not within the call that frees a place */
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

  /** The place of a new request, which holds nothing yet. */
  place(caller: string): Place {
    return new Place(this, caller);
  }

  /** Starts, queues or rejects a request; one that comes back with its body is not rejected for want of room. */
  admit(place: Place, isBack: boolean): void {
    const { caller } = place;
    const queue = this.queues.get(caller);
    const free = this.limits.queued - this.queuedTotal;
    if (!this.isDraining && queue === undefined && this.hasRoomFor(caller)) this.start(place);
    else if (!isBack && (queue?.length ?? 0) >= free) place.end(free > 0 ? 'share' : 'full');
    else {
      if (queue === undefined) this.queues.set(caller, [place]);
      else queue.push(place);
      this.queuedTotal++;
      place.wait(maxQueueWait);
    }
  }

  /** Counts a body that is being received; false where there are too many. */
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

  /** Takes a request out of the queue; its caller keeps its turn. */
  dequeue(place: Place): void {
    const queue = this.queues.get(place.caller) ?? [];
    queue.splice(queue.indexOf(place), 1);
    if (queue.length === 0) this.queues.delete(place.caller);
    this.queuedTotal--;
  }

  private nextInTurn(): Place | undefined {
    for (const [caller, queue] of this.queues) {
      const [place] = queue;
      if (place === undefined || !this.hasRoomFor(caller)) continue;
      this.dequeue(place);
      // The caller's next turn comes after those of all others.
      if (this.queues.delete(caller)) this.queues.set(caller, queue);
      return place;
    }
    return undefined;
  }

  private hasRoomFor(caller: string): boolean {
    return this.running.total < this.limits.running && this.running.of(caller) < this.limits.runningPerCaller;
  }

  private start(place: Place): void {
    this.running.add(place.caller, 1);
    place.start();
  }
}

/** What one request holds of a limiter. It gives back everything once, whatever happens. */
export class Place {
  /** How long the request waited in the queue, in milliseconds. */
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

  /** Waits for the place; a reason where there is none, or where the request was released meanwhile. */
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

  /** Gives the place to others while a body is received, until `acquire`; false where too many are being received. */
  pause(): boolean {
    if (this.state !== 'running') return true;
    if (!this.limiter.startReceiving(this.caller)) return false;
    this.hasBody = true;
    this.state = 'paused';
    this.limiter.stopRunning(this.caller);
    return true;
  }

  /** Gives back what the request holds; later calls do nothing. */
  release(): void {
    const { state } = this;
    if (state === 'queued') this.limiter.dequeue(this);
    this.end('late');
    if (state === 'running') this.limiter.stopRunning(this.caller);
  }

  /** For the limiter: the request waits. */
  wait(milliseconds: number): void {
    this.state = 'queued';
    this.queuedAt = performance.now();
    this.timer = setTimeout(() => this.release(), milliseconds);
  }

  /** For the limiter: the request runs. */
  start(): void {
    this.leave('running');
    this.settle(undefined);
  }

  /** For the limiter: the request gets no place. */
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

/** Counts by caller, and in total. */
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
