import pLimit from 'p-limit';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

interface QueueLimits {
  readonly concurrency: number;
  readonly maxPending: number;
  /** Maximum wait in milliseconds, checked when the task reaches the head of the queue. */
  readonly maxWait: number;
}

/** Runs tasks in order with limited concurrency. Rejects a task if too many wait or it waited too long. */
export class BoundedQueue {
  private readonly limit;

  constructor(private readonly limits: QueueLimits) {
    this.limit = pLimit(limits.concurrency);
  }

  get isIdle(): boolean {
    return this.limit.activeCount + this.limit.pendingCount === 0;
  }

  /**
   * Runs a task as soon as the limits allow.
   * @throws ServiceError 50302 if too many tasks wait or this one waited too long; errors of the task
   */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= this.limits.maxPending) throw new ServiceError(errorCatalogue.overloaded);
    const queuedAt = performance.now();
    return this.limit(() => {
      if (performance.now() - queuedAt > this.limits.maxWait) throw new ServiceError(errorCatalogue.overloaded);
      return task();
    });
  }
}
