import { LRUCache } from 'lru-cache';

/**
 * A bounded cache of values that were read from the database. A value is returned only while the change stream is
 * provably current, and removed when one of the records that it was read from changes. Records that were not found are
 * not cached.
 */
export class CoherentCache<V extends object> {
  private readonly entries: LRUCache<string, V>;
  /** Record ID → keys of the entries that were read from that record. */
  private readonly keysOf = new Map<string, Set<string>>();
  /** Counts changes: a value that was read before a change and arrives after it may be outdated. */
  private generation = 0;

  /**
   * @param isCurrent returns whether the change stream is provably complete
   * @param idsOf IDs of all records that a value was read from
   */
  constructor(
    private readonly isCurrent: () => boolean,
    max: number,
    private readonly idsOf: (value: V) => readonly string[],
  ) {
    this.entries = new LRUCache({ max, dispose: (value, key) => this.unlink(key, value) });
  }

  /** Returns a cached value, or undefined if it must be read from the database. */
  get(key: string): V | undefined {
    return this.isCurrent() ? this.entries.get(key) : undefined;
  }

  /** Returns a cached value, or loads and caches it. Null is not cached. */
  async getOrLoad(key: string, load: () => Promise<V | null>): Promise<V | null> {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const read = this.startRead();
    const value = await load();
    if (value !== null) read.store(key, value);
    return value;
  }

  /**
   * Returns the values of records, in no particular order: cached ones, and others loaded with one call. Records that
   * `load` does not return are omitted.
   * @param keyOf returns the key of a record by its ID
   */
  async getOrLoadAll(
    ids: readonly string[],
    keyOf: (id: string) => string,
    load: (missing: readonly string[]) => Promise<V[]>,
  ): Promise<V[]> {
    const cached = new Map(ids.map((id) => [id, this.get(keyOf(id))]));
    const missing = [...cached].flatMap(([id, value]) => (value === undefined ? [id] : []));
    const found = [...cached.values()].filter((value) => value !== undefined);
    if (missing.length === 0) return found;
    const read = this.startRead();
    const loaded = await load(missing);
    for (const value of loaded) for (const id of this.idsOf(value)) read.store(keyOf(id), value);
    return [...found, ...loaded];
  }

  /**
   * Starts a read; call it before the query is sent. Its result is stored only if nothing has changed since, and no change
   * can have been missed.
   */
  startRead() {
    const generation = this.isCurrent() ? this.generation : undefined;
    const isValid = () => generation === this.generation && this.isCurrent();
    return { store: (key: string, value: V) => isValid() && this.set(key, value) };
  }

  /** Removes every value that was read from a record. */
  invalidate(id: string): void {
    this.generation++;
    for (const key of this.keysOf.get(id) ?? []) this.entries.delete(key);
  }

  /** Removes everything, since changes may have been missed. */
  clear(): void {
    this.generation++;
    this.entries.clear();
  }

  private set(key: string, value: V): void {
    this.entries.set(key, value);
    for (const id of this.idsOf(value)) this.keysOf.set(id, (this.keysOf.get(id) ?? new Set()).add(key));
  }

  private unlink(key: string, value: V): void {
    for (const id of this.idsOf(value)) {
      const keys = this.keysOf.get(id);
      keys?.delete(key);
      if (keys?.size === 0) this.keysOf.delete(id);
    }
  }
}
