/** Above this share of its time at work the event loop is busy: more at once would only make everybody wait longer. */
const busy = 0.9;
/** Below this one it waits for others, and could carry more. */
const atEase = 0.75;

/**
 * How many requests may be in service at once. Few while the event loop is busy, so that a newcomer shares it with few;
 * many while requests wait for something else, such as a slow database, and the loop could carry more.
 */
export class ServiceLimit {
  private now: number;

  constructor(
    private readonly few: number,
    private readonly most: number,
  ) {
    this.now = few;
  }

  get value(): number {
    return this.now;
  }

  /**
   * Heeds how busy the loop was while requests waited.
   * @param utilization the share of the time in which the loop worked, 0 to 1
   */
  heed(utilization: number): void {
    if (utilization > busy) this.now = Math.max(this.few, Math.floor(this.now / 2));
    else if (utilization < atEase) this.now = Math.min(this.most, this.now * 2);
  }

  /** Nobody waits: what was learnt in another hour is forgotten, but for room for twice of what is in service. */
  relax(inService: number): void {
    this.now = Math.min(this.now, Math.max(this.few, 2 * inService + 2));
  }
}
