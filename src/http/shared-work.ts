import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { ServiceError } from '../errors/service-error.js';

/** Lanes that are remembered while they are idle. */
const maxLanes = 1_000;

/**
 * Runs expensive work once for all that ask for it at the same time, and one piece of work of a lane after another, so that
 * a caller with many requests delays only its own lane.
 */
export class SharedWork<T> {
  private readonly lanes = new LRUCache<string, LimitFunction>({ max: maxLanes, memoMethod: () => pLimit(1) });
  private readonly running: LimitFunction;
  /** Work that has not started. Who asks for it later can share it, but not work that may have read older data. */
  private readonly waiting = new Map<string, { readonly result: Promise<T>; work: () => Promise<T> }>();

  /**
   * @param maxRunning how many lanes work at the same time
   * @param maxWaiting how many pieces of a lane wait: the last one would otherwise wait longer than a request may take
   */
  constructor(
    maxRunning: number,
    private readonly maxWaiting: number,
  ) {
    this.running = pLimit(maxRunning);
  }

  /**
   * Joins the waiting work of this name, or queues it. Work that runs is not joined, as it may have read older data. The latest
   * `work` runs, because it may depend on the time.
   * @param lane the organization
   * @param name identifies the work within its lane
   * @throws ServiceError 50302 if too many pieces of the lane wait
   */
  run(lane: string, name: string, work: () => Promise<T>): Promise<T> {
    const key = `${lane} ${name}`;
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) {
      waiting.work = work;
      return waiting.result;
    }
    const start = (): Promise<T> => {
      this.waiting.delete(key);
      return next.work();
    };
    const turns = this.lanes.memo(lane);
    if (turns.pendingCount >= this.maxWaiting) throw new ServiceError('overloaded');
    const next = { work, result: turns(() => this.running(start)) };
    this.waiting.set(key, next);
    return next.result;
  }
}
