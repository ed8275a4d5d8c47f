/**
 * A queue that is fair to callers: they are served in turn, each one's entries in the order in which they came. What one
 * caller lets wait costs another one entry of wait at most.
 */
export class FairQueue<T> {
  /** Callers that have something waiting, the next in turn first. */
  private readonly callers = new Map<string, Set<T>>();
  private count = 0;

  /** How many entries wait. */
  get size(): number {
    return this.count;
  }

  /** How many entries of a caller wait. */
  sizeOf(caller: string): number {
    return this.callers.get(caller)?.size ?? 0;
  }

  /** Adds an entry as the caller's last. */
  add(caller: string, entry: T): void {
    const own = this.callers.get(caller);
    if (own === undefined) this.callers.set(caller, new Set([entry]));
    else own.add(entry);
    this.count++;
  }

  /** Takes an entry out, wherever it stands; the caller keeps its turn. Nothing happens where it does not wait. */
  remove(caller: string, entry: T): void {
    const own = this.callers.get(caller);
    if (own?.delete(entry) !== true) return;
    if (own.size === 0) this.callers.delete(caller);
    this.count--;
  }

  /** Takes the first entry of the next caller in turn that may be served now, whose next turn comes after all others'. */
  next(mayBeServed: (caller: string) => boolean = () => true): T | undefined {
    for (const [caller, own] of this.callers) {
      const [entry] = own;
      if (entry === undefined || !mayBeServed(caller)) continue;
      this.callers.delete(caller);
      own.delete(entry);
      if (own.size > 0) this.callers.set(caller, own);
      this.count--;
      return entry;
    }
    return undefined;
  }
}
