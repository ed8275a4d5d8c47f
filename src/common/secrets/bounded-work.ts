import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

/** How many may wait, and how long: well within a request's deadline. */
const waitingPerLane = 128;
const waitingPerGroup = 16;
const longestWait = 2_000;

interface Waiting {
  readonly group: string | undefined;
  /** By the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly begin: () => void;
  readonly giveUp: (refusal: ServiceError) => void;
}

/**
 * Costly work, so much of it at once and no more. The next waits in its lane, and the lanes are served in turn, so that a
 * crowd in one does not hold up the others; beyond the waiting rooms the answer is no.
 */
export class BoundedWork<Lane extends string> {
  private readonly waiting: readonly { readonly lane: Lane; readonly room: Waiting[] }[];
  private running = 0;
  private turn = 0;

  constructor(
    lanes: readonly Lane[],
    private readonly atOnce: number,
  ) {
    this.waiting = lanes.map((lane) => ({ lane, room: [] }));
  }

  /** True where nothing runs, and so nothing waits. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  /**
   * Does the work when it is its turn.
   * @param group who may take only a part of the waiting room, such as one key; undefined for those who are trusted
   * @throws ServiceError 50302 where too many wait, or for too long; whatever the work throws
   */
  async run<T>(lane: Lane, group: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await this.wait(lane, group);
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.nextWaiting();
      if (next === undefined) this.running--;
      else next.begin();
    }
  }

  private wait(lane: Lane, group: string | undefined): Promise<void> {
    const room = this.waiting.find((each) => each.lane === lane)?.room ?? [];
    const ofGroup = group === undefined ? 0 : room.filter((waiting) => waiting.group === group).length;
    if (room.length >= waitingPerLane || ofGroup >= waitingPerGroup) {
      throw overloaded();
    }
    return new Promise((begin, giveUp) => room.push({ group, since: performance.now(), begin, giveUp }));
  }

  private nextWaiting(): Waiting | undefined {
    for (let lanes = this.waiting.length; lanes > 0; lanes--) {
      this.turn = (this.turn + 1) % this.waiting.length;
      const room = this.waiting[this.turn]?.room ?? [];
      while (room[0] !== undefined && performance.now() - room[0].since > longestWait) {
        room.shift()?.giveUp(overloaded());
      }
      const next = room.shift();
      if (next !== undefined) return next;
    }
    return undefined;
  }
}

function overloaded(): ServiceError {
  return new ServiceError(errorCatalogue.overloaded, { retryAfterSeconds: 1 });
}
