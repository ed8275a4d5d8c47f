/** How those who come under one name go on. */
export interface Pace {
  /** So long after one has begun, the next one begins. */
  readonly milliseconds: number;
  /** So many may wait; who comes beyond is sent away. */
  readonly waiting: number;
}

/** When the next one under a name may begin; all who wait begin before that. */
interface Line {
  nextAt: number;
  waiting: number;
}

/** Lets those who come under the same name go on one by one, at a steady pace; other names are not held up. */
export class PacedTurns {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly pace: Pace) {}

  /** After so many whole seconds, all who wait now have had their turn. */
  get longestWaitSeconds(): number {
    return Math.max(1, Math.ceil((this.pace.milliseconds * this.pace.waiting) / 1_000));
  }

  /** Waits for a turn; false, at once, where too many wait already. */
  async take(name: string): Promise<boolean> {
    const now = performance.now();
    this.forgetEnded(now);
    const line = this.lines.get(name);
    if (line === undefined) {
      this.lines.set(name, { nextAt: now + this.pace.milliseconds, waiting: 0 });
      return true;
    }
    if (line.waiting >= this.pace.waiting) return false;
    const pause = line.nextAt - now;
    line.nextAt += this.pace.milliseconds;
    line.waiting++;
    await new Promise((resolve) => setTimeout(resolve, pause));
    line.waiting--;
    return true;
  }

  /** A line whose next turn is due has nobody waiting: what is kept are the names of the last few seconds. */
  private forgetEnded(now: number): void {
    for (const [name, { nextAt }] of this.lines) if (nextAt <= now) this.lines.delete(name);
  }
}
