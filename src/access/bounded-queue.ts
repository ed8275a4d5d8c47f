import pLimit, { type LimitFunction } from 'p-limit';
import { ServiceError } from '../errors/service-error.js';

interface QueueLimits {
  readonly concurrency: number;
  /** A caller may hold at most as many places as are still free. */
  readonly maxPending: number;
  /** Maximum wait in milliseconds, checked when the task reaches the head of the queue. */
  readonly maxWait: number;
}

/**
 * Runs tasks with limited concurrency. Each caller's tasks run one after the other, and callers take turns, so that a
 * flood from one delays only its own. Rejects a task if too many wait or it waited too long.
 */
export class BoundedQueue {
  /** Holds the first task of each caller. */
  private readonly turns: LimitFunction;
  private readonly callers = new Map<string, { readonly inOrder: LimitFunction; tasks: number }>();
  private tasks = 0;

  constructor(private readonly limits: QueueLimits) {
    this.turns = pLimit(limits.concurrency);
  }

  /**
   * Runs a task as soon as the limits allow.
   * @param name of the caller
   * @throws ServiceError 50302 if too many tasks wait or this one waited too long; errors of the task
   */
  async run<T>(task: () => Promise<T>, name = ''): Promise<T> {
    const { concurrency, maxPending, maxWait } = this.limits;
    const caller = this.callers.get(name) ?? { inOrder: pLimit(1), tasks: 0 };
    const mustWait = caller.tasks > 0 || this.callers.size >= concurrency;
    const pending = this.tasks - Math.min(concurrency, this.callers.size);
    if (mustWait && caller.tasks >= maxPending - pending) throw new ServiceError('overloaded');
    this.callers.set(name, caller);
    caller.tasks++;
    this.tasks++;
    const queuedAt = performance.now();
    const start = () => {
      if (performance.now() - queuedAt > maxWait) throw new ServiceError('overloaded');
      return task();
    };
    try {
      return await caller.inOrder(() => this.turns(start));
    } finally {
      this.tasks--;
      caller.tasks--;
      if (caller.tasks === 0) this.callers.delete(name);
    }
  }
}
