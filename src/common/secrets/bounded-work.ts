import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

/** Limits of a lane's queue. */
export interface LaneLimits {
  /** Most that may wait. */
  readonly waiting: number;
  /** Most of one group that may wait. */
  readonly waitingPerGroup: number;
  /** Longest wait in milliseconds, checked when the lane's turn comes. */
  readonly longestWait: number;
}

interface Waiting {
  readonly group: string | undefined;
  /** By the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly start: () => void;
  readonly refuse: (refusal: ServiceError) => void;
}

interface Lane {
  readonly limits: LaneLimits;
  readonly queue: Waiting[];
}

/**
 * Limits how much costly work runs at once. Each lane has a bounded queue of its own, and lanes are served in turn, so a
 * crowd in one lane neither fills nor starves another one.
 */
export class BoundedWork<Name extends string> {
  private readonly lanes: ReadonlyMap<Name, Lane>;
  /** The lanes in the order in which their turns come. */
  private readonly turns: Lane[];
  private running = 0;

  /**
   * @param limits of each lane
   * @param atOnce how much runs at once, over all lanes
   */
  constructor(
    limits: Readonly<Record<Name, LaneLimits>>,
    private readonly atOnce: number,
  ) {
    const names = Object.keys(limits) as Name[];
    this.lanes = new Map(names.map((name) => [name, { limits: limits[name], queue: [] }]));
    this.turns = [...this.lanes.values()];
  }

  /** True while nothing runs; then nothing waits either. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  /**
   * Runs the work as soon as it is its turn.
   * @param group whose share of the lane's queue is limited, such as a network; undefined for no limit but the lane's
   * @throws ServiceError 50302 if too many wait, or this work waited too long; whatever the work throws
   */
  async run<T>(lane: Name, group: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await this.wait(lane, group);
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.takeNext();
      if (next === undefined) this.running--;
      else next.start();
    }
  }

  private wait(name: Name, group: string | undefined): Promise<void> {
    const lane = this.lanes.get(name);
    if (lane === undefined) throw new Error(`There is no lane ${name}`);
    const { queue, limits } = lane;
    const ofGroup = group === undefined ? 0 : queue.filter((waiting) => waiting.group === group).length;
    if (queue.length >= limits.waiting || ofGroup >= limits.waitingPerGroup) throw overloaded();
    return new Promise((start, refuse) => queue.push({ group, since: performance.now(), start, refuse }));
  }

  /** Takes the next work from the next lane that has any; that lane's next turn comes last. */
  private takeNext(): Waiting | undefined {
    for (const [index, lane] of this.turns.entries()) {
      refuseLate(lane);
      const next = lane.queue.shift();
      if (next === undefined) continue;
      this.turns.push(...this.turns.splice(index, 1));
      return next;
    }
    return undefined;
  }
}

function refuseLate({ queue, limits }: Lane): void {
  const now = performance.now();
  while (queue[0] !== undefined && now - queue[0].since > limits.longestWait) queue.shift()?.refuse(overloaded());
}

function overloaded(): ServiceError {
  return new ServiceError(errorCatalogue.overloaded, { retryAfterSeconds: 1 });
}
