/**
 * Things that come and go all the time, in no order, each at most once. A `Set` would do but for V8: when many have left, what is in
 * it moves to a new table to which the old one keeps pointing, so that one old table that is not yet collected keeps all later ones,
 * and with them every request that ever stood in one, until the next whole garbage collection. To put one in or take it out costs a look at all.
 */
export class Bag<T> implements Iterable<T> {
  private readonly members: T[];

  constructor(values: Iterable<T> = []) {
    this.members = [...values];
  }

  get size(): number {
    return this.members.length;
  }

  /** Puts something in, where it is not in yet. */
  add(value: T): this {
    if (!this.has(value)) this.members.push(value);
    return this;
  }

  has(value: T): boolean {
    return this.members.includes(value);
  }

  /** Takes something out; true where it was in. */
  delete(value: T): boolean {
    const place = this.members.indexOf(value);
    if (place < 0) return false;
    // The last one takes the place that becomes free.
    const last = this.members.pop() as T;
    if (place < this.members.length) this.members[place] = last;
    return true;
  }

  clear(): void {
    this.members.length = 0;
  }

  /** All that is in at this moment, whatever is put in or taken out meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.members].values();
  }
}
