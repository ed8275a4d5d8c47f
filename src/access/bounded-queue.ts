import { ServiceError } from '../errors/service-error.js';
import { ConcurrencyLimiter, type ConcurrencyLimits, Slot } from '../http/concurrency-limiter.js';

/**
 * Runs tasks with limited concurrency. Each caller's tasks run one after the other, and callers take turns, so that a
 * flood from one delays only its own. Rejects a task if too many wait or it waited too long.
 */
export class BoundedQueue {
  private readonly limiter: ConcurrencyLimiter;

  constructor(limits: Omit<ConcurrencyLimits, 'runningPerCaller'>) {
    this.limiter = new ConcurrencyLimiter({ ...limits, runningPerCaller: 1 });
  }

  /**
   * Runs a task as soon as the limits allow.
   * @param name of the caller
   * @throws ServiceError 50302 if too many tasks wait or this one waited too long; errors of the task
   */
  async run<T>(task: () => Promise<T>, name = ''): Promise<T> {
    const slot = new Slot(this.limiter, name);
    if ((await slot.acquire()) !== undefined) throw new ServiceError('overloaded');
    try {
      return await task();
    } finally {
      slot.release();
    }
  }
}
