import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

/** How many of one group may wait. */
const waitingPerGroup = 16;

/** A lane's waiting room. */
export interface WaitingRoom {
  readonly places: number;
  /** How long one may wait there, in milliseconds: within a request's deadline of 4.5 s. */
  readonly longestWait: number;
}
/** The usual one. */
export const waitingRoom: WaitingRoom = { places: 128, longestWait: 2_000 };

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
  private readonly waiting: readonly (WaitingRoom & { readonly lane: Lane; readonly room: Waiting[] })[];
  private running = 0;
  private turn = 0;

  /**
   * @param lanes the waiting room of each
   * @param atOnce how much runs at once
   */
  constructor(
    lanes: Readonly<Record<Lane, WaitingRoom>>,
    private readonly atOnce: number,
  ) {
    const names = Object.keys(lanes) as Lane[];
    this.waiting = names.map((lane) => ({ lane, ...lanes[lane], room: [] }));
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
    const { room, places } = this.laneOf(lane);
    const ofGroup = group === undefined ? 0 : room.filter((waiting) => waiting.group === group).length;
    if (room.length >= places || ofGroup >= waitingPerGroup) throw overloaded();
    return new Promise((begin, giveUp) => room.push({ group, since: performance.now(), begin, giveUp }));
  }

  private laneOf(lane: Lane) {
    const found = this.waiting.find((each) => each.lane === lane);
    if (found === undefined) throw new Error(`There is no lane ${lane}`);
    return found;
  }

  private nextWaiting(): Waiting | undefined {
    for (let lanes = this.waiting.length; lanes > 0; lanes--) {
      this.turn = (this.turn + 1) % this.waiting.length;
      const { room = [], longestWait = 0 } = this.waiting[this.turn] ?? {};
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
