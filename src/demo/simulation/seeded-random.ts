/** Chance that can be repeated: the same seed gives the same row of numbers (mulberry32, a small public-domain generator). */
export class SeededRandom {
  constructor(private state: number) {}

  /** A number from 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** True so often, of 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from the one to the other, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** One of the entries; those that stand earlier are picked more often. */
  pick<T>(entries: readonly [T, ...T[]]): T {
    const towardsStart = Math.min(this.next(), this.next());
    return entries[Math.floor(towardsStart * entries.length)] ?? entries[0];
  }
}
