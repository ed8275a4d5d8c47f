import { BoundedWork, waitingRoom } from '../common/secrets/bounded-work.js';

/**
 * Does what comes under one name one after the other; other names are not held up. Who comes while too many wait, or
 * waits too long, is refused, so that no crowd leaves work behind that nobody waits for any more.
 */
export class SerialWork {
  /** Of each name that has work, and of no other. */
  private readonly works = new Map<string, BoundedWork<'all'>>();

  /**
   * Does the work when everything before it under this name is done.
   * @throws ServiceError 50302 where too many wait, or for too long; whatever the work throws
   */
  async run<T>(name: string, step: () => Promise<T>): Promise<T> {
    const work = this.works.get(name) ?? new BoundedWork({ all: waitingRoom }, 1);
    this.works.set(name, work);
    try {
      return await work.run('all', undefined, step);
    } finally {
      // Of several that end together, the first removes it, and a newcomer may have brought another one since.
      if (work.isIdle && this.works.get(name) === work) this.works.delete(name);
    }
  }
}
