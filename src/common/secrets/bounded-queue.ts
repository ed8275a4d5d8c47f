import pLimit from 'p-limit';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

export interface QueueLimits {
  /** Tasks that run at once. */
  readonly concurrency: number;
  /** Tasks that may wait. */
  readonly maxPending: number;
  /** Longest wait in milliseconds, checked when a task's turn comes. */
  readonly maxWait: number;
}

/** Runs tasks in order with limited concurrency, and rejects them when too many wait or they waited too long. */
export class BoundedQueue {
  private readonly limit;

  constructor(private readonly limits: QueueLimits) {
    this.limit = pLimit(limits.concurrency);
  }

  /** True while no task runs or waits. */
  get isIdle(): boolean {
    return this.limit.activeCount + this.limit.pendingCount === 0;
  }

  /**
   * Runs a task when its turn comes.
   * @throws ServiceError 50302 if too many tasks wait or this one waited too long; any error of the task
   */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= this.limits.maxPending) throw overloaded();
    const queuedAt = performance.now();
    return this.limit(() => {
      if (performance.now() - queuedAt > this.limits.maxWait) throw overloaded();
      return task();
    });
  }
}

function overloaded(): ServiceError {
  return new ServiceError(errorCatalogue.overloaded, { retryAfterSeconds: 1 });
}
