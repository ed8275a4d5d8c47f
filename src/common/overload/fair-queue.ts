/**
 * A queue that is fair to callers: they are served in turn, each one's entries in the order in which they came. What one
 * caller lets wait costs another one entry of wait at most. Entries stand in arrays for the reason told of `Bag`.
 */
export class FairQueue<T> implements Iterable<T> {
  /** Callers that have something waiting, the next in turn first. */
  private readonly callers = new Map<string, T[]>();
  private count = 0;

  /** All that wait, in no order. What is met may be taken out. */
  *[Symbol.iterator](): Iterator<T> {
    for (const own of this.callers.values()) yield* [...own];
  }

  /** How many entries wait. */
  get size(): number {
    return this.count;
  }

  /** How many entries of a caller wait. */
  sizeOf(caller: string): number {
    return this.callers.get(caller)?.length ?? 0;
  }

  /** Adds an entry as the caller's last. */
  add(caller: string, entry: T): void {
    const own = this.callers.get(caller);
    if (own === undefined) this.callers.set(caller, [entry]);
    else own.push(entry);
    this.count++;
  }

  /** Takes an entry out, wherever it stands; the caller keeps its turn. Nothing happens where it does not wait. */
  remove(caller: string, entry: T): void {
    const own = this.callers.get(caller);
    const place = own?.indexOf(entry) ?? -1;
    if (own === undefined || place < 0) return;
    own.splice(place, 1);
    if (own.length === 0) this.callers.delete(caller);
    this.count--;
  }

  /** Takes the first entry of the next caller in turn that may be served now, whose next turn comes after all others'. */
  next(mayBeServed: (caller: string) => boolean = () => true): T | undefined {
    for (const [caller, own] of this.callers) {
      if (!mayBeServed(caller)) continue;
      this.callers.delete(caller);
      const entry = own.shift();
      if (own.length > 0) this.callers.set(caller, own);
      this.count--;
      return entry;
    }
    return undefined;
  }
}
