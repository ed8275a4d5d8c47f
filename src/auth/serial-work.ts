import { BoundedWork, type LaneLimits } from '../common/secrets/bounded-work.js';

/** Attempts beyond a few failures end at once, so a queue moves on quickly. */
const limits: LaneLimits = { waiting: 32, waitingPerGroup: 32, longestWait: 1_500 };

/**
 * Runs work of the same name one after the other, without holding up other names. Work is refused while too much of the
 * name waits, or if it waited too long.
 */
export class SerialWork {
  /** Only names that have work. */
  private readonly works = new Map<string, BoundedWork<'all'>>();

  /**
   * Runs the work after all earlier work of this name.
   * @throws ServiceError 50302 if too much waits, or this work waited too long; whatever the work throws
   */
  async run<T>(name: string, step: () => Promise<T>): Promise<T> {
    const work = this.works.get(name) ?? new BoundedWork({ all: limits }, 1);
    this.works.set(name, work);
    try {
      return await work.run('all', undefined, step);
    } finally {
      // Of several that end together, the first removes it, and a newcomer may have brought another one since.
      if (work.isIdle && this.works.get(name) === work) this.works.delete(name);
    }
  }
}
